import { withClient } from '../support/sql.ts';

/** Every row of a database, as JSON by table; tables are named with their schema. */
export type Dump = ReadonlyMap<string, string[]>;

/**
 * Writes a row into each table that demo data leaves empty: hand edits, which the triggers of that release capture, and rows
 * of what only a service in use writes. Meant for while no service runs, as superuser.
 */
export async function fillEveryTable(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      'update products set name = $1 where id = (select id from products order by id limit 1)',
      [handEdited],
    );
    await client.query('begin; set local session_replication_role = replica');
    await client.query(inUse);
    await client.query('commit');
  });
}

/** The name of a product that was edited while no service ran. */
export const handEdited = 'Edited before the upgrade';

// A row references what is there: the one location, its key, an order and an event of the demo data.
const inUse = `
  create temporary table o on commit drop as
    select o.location_id, o.id as order_id, e.id as event_id, k.id as key_id, uuid_v7() as endpoint_id,
           uuid_v7() as delivery_id, uuid_v7() as certification_id
    from orders o, events e, api_keys k order by o.id, e.id limit 1;
  insert into webhook_endpoints (location_id, id, url, events, status) select location_id, endpoint_id, 'http://127.0.0.1:9/', '{turn.open}', 'disabled' from o;
  insert into internal.webhook_secrets (location_id, endpoint_id, encryption_key_id, sealed) select location_id, endpoint_id, 'of no key', '\\x00' from o;
  insert into internal.endpoint_health (location_id, endpoint_id, last_delivered_at) select location_id, endpoint_id, now() from o;
  insert into internal.endpoint_clearings (location_id, endpoint_id, gone) select location_id, endpoint_id, false from o;
  insert into webhook_deliveries (location_id, id, endpoint_id, event_id, status, attempts) select location_id, delivery_id, endpoint_id, event_id, 'delivered', 1 from o;
  insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, response_code, duration_ms, attempted_at)
    select location_id, delivery_id, endpoint_id, event_id, 'order.created', 1, 'delivered', 200, 12, now() from o;
  insert into certifications (location_id, id, status, does) select location_id, certification_id, 'passed', '{}' from o;
  insert into internal.certification_calls (location_id, certification_id, operation, request, request_id) select location_id, certification_id, 'orders.create', '{}', 'req_upgrade' from o;
  insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, refusal) select location_id, key_id, 'orders.create', 'kept', '\\x00', '{}' from o;
  insert into internal.limit_counters (api_key_id, "window", window_start, used) select key_id, 'month', date_trunc('month', now()), 7 from o on conflict do nothing;
  insert into internal.order_moves (location_id, order_id, from_status, to_status) select location_id, order_id, 'pending', 'ready' from o;
  insert into sync_jobs (location_id, status, total_items, completed_at) select location_id, 'completed', 1, now() from o;
  insert into internal.deleted_records (location_id, resource, deleted_at, id) select location_id, 'product', now(), uuid_v7() from o;
  insert into internal.tallies (location_id, hours, starts_at, name, n) select location_id, 1, '2026-01-01', 'upgrade', 3 from o;
  insert into internal.tally_notes (location_id, starts_at, name, n) select location_id, '2026-01-01', 'upgrade', 1 from o;
  insert into internal.location_moves (id, cell, folder, step) select location_id, 'north', 'moves/north', 'abort' from o;
  insert into internal.moved_locations (code, location_id, cell) select 'gonegone', uuid_v7(), 'north';
  insert into internal.work_totals (name, shard, total) values ('upgrade', 0, 5) on conflict do nothing;
  insert into audit_entries (actor_kind, operation) values ('database', 'upgrade');
  insert into internal.process_heartbeats (id, kind, host, pid) select uuid_v7(), 'worker', 'gone', 1;
`;

/** Every row of the tables of the service. */
export function dumpOf(url: string): Promise<Dump> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'internal') and table_type = 'BASE TABLE' order by 1`,
    );
    const dump = new Map<string, string[]>();
    for (const { name } of rows) {
      const found = await client.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${name} t order by 1`,
      );
      dump.set(
        name,
        found.rows.map(({ row }) => row),
      );
    }
    return dump;
  });
}

/** Puts the rows of a dump into a database that the same release has migrated, as superuser. */
export async function restore(url: string, dump: Dump): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('begin; set local session_replication_role = replica');
    for (const [name, rows] of dump) {
      await client.query(`delete from ${name}`);
      await client.query(
        `insert into ${name} select * from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
        [`[${rows.join()}]`],
      );
    }
    const { rows: serials } = await client.query<{ last: string }>(
      `select format('select setval(%L, coalesce(max(%I), 0) + 1, false) from %I.%I',
                pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name), column_name, table_schema, table_name) as last
       from information_schema.columns where table_schema in ('public', 'internal') and column_default like 'nextval(%'`,
    );
    for (const { last } of serials) await client.query(last);
    await client.query('commit');
  });
}

/** Tables whose rows a service that runs changes by itself. */
const living = [
  'app_codes',
  'captured_changes',
  'catalog_versions',
  'endpoint_clearings',
  'endpoint_health',
  'limit_counters',
  'location_counters',
  'process_heartbeats',
  'sql_objects',
  'sql_releases',
  'tallies',
  'tally_notes',
  'work_totals',
].map((name) => `internal.${name}`);

/** The rows of a dump that a database no longer has as they were; columns that were added since do not count. */
export async function missingFrom(url: string, dump: Dump): Promise<string[]> {
  const now = await dumpOf(url);
  return [...dump].flatMap(([name, rows]) => {
    if (living.includes(name)) return [];
    const columns = Object.keys(JSON.parse(rows[0] ?? '{}')).sort();
    const asBefore = (row: string) => {
      const parsed: Record<string, unknown> = JSON.parse(row);
      return JSON.stringify(columns.map((column) => parsed[column]));
    };
    const there = new Set((now.get(name) ?? []).map(asBefore));
    return rows.filter((row) => !there.has(asBefore(row))).map((row) => `${name}: ${row}`);
  });
}
