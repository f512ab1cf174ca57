// The counts that triggers keep, for rows that were written without triggers: comanda doctor finds that all of it agrees.

export const counts: readonly string[] = [
  ...[1, 24, 768].map(
    (hours) => `insert into internal.tallies (location_id, hours, starts_at, name, n)
      select location_id, ${hours}, order_stretch(${hours}, created_at), 'order ' || status, count(*)
      from orders group by 1, 3, 4 order by 1, 3, 4 on conflict do nothing`,
  ),
  `insert into internal.location_counters (location_id, name, value)
   select b.id, k.name, k.value from bench_places b
   join (select place, max(number) as orders, max(last_event) as events from bench_orders group by 1) o using (place),
     lateral (values ('order', o.orders), ('event', o.events)) k (name, value)`,
  `insert into internal.tallies (location_id, hours, starts_at, name, n)
   select location_id, 0, '-infinity', 'product visible', count(*) from products group by 1`,
  `insert into internal.tallies (location_id, hours, starts_at, name, n)
   select location_id, 0, '-infinity', 'catalog', 2 * count(*) from products group by 1`,
  // A request every six minutes: a process removes minutes after three hours (prisma/sql/limits.sql).
  `insert into internal.limit_counters (api_key_id, "window", window_start, used)
   select b.key, 'minute', date_trunc('minute', now()) - n * interval '6 minutes', 100 from bench_places b, generate_series(0, 29) n
   union all select b.key, 'month', date_trunc('month', now(), 'UTC'), 50000 from bench_places b`,
  `insert into audit_entries (location_id, actor_kind, operation, resource_id, changes, created_at)
   select b.id, 'command_line', o.operation, o.id, '{"after":{"name":"made"},"before":null}', b.began
   from bench_places b, lateral (values ('locations.create', b.id), ('keys.create', b.key)) o (operation, id)`,
  `insert into internal.endpoint_health (location_id, endpoint_id, last_delivered_at) select id, endpoint, now() from bench_places`,
  `update api_keys set last_used_at = now()`,
];
