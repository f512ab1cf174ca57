import { statement } from '@comanda/db';
import type { Harm, Invariant, Repaired } from './invariant.ts';

/** Counts and the rows that they count. */
export const counted: readonly Invariant[] = [
  {
    name: 'counts',
    means: 'Lists know how many products and orders there are: the counts agree with the rows.',
    advice: 'comanda doctor --repair counts them again.',
    of: 'location',
    asks: statement<Harm>(
      'doctor_counts',
      `select $1::uuid as location, e.name || case e.hours when 0 then '' else ', ' || e.hours || ' h from ' || e.starts_at end as what,
         'counted ' || e.counted || ', there are ' || e.there as harm
       from tally_errors($1) e order by e.hours desc, e.starts_at limit 101`,
    ),
    repairs: statement<Repaired>(
      'repair_counts',
      `select e.name || case e.hours when 0 then '' else ', ' || e.hours || ' h from ' || e.starts_at end as what,
         to_jsonb(e.counted) as before, to_jsonb(e.there) as after from recount_tallies($1) e`,
    ),
  },
  {
    name: 'catalog version',
    means: 'The version of a catalog is not ahead of its changes, which would hide the next ones.',
    advice: 'comanda doctor --repair moves the changes ahead.',
    of: 'database',
    asks: statement<Harm>(
      'doctor_catalog_version',
      `select v.location_id as location, 'the catalog' as what, 'shows change ' || v.token || ', there were ' || t as harm
       from internal.catalog_versions v cross join lateral catalog_token(v.location_id) t
       where v.epoch = database_epoch() and v.token > t limit 101`,
    ),
    repairs: statement<Repaired>(
      'repair_catalog_version',
      `with ahead as (
         select v.location_id, v.token, t as changes from internal.catalog_versions v cross join lateral catalog_token(v.location_id) t
         where v.location_id = $1 and v.epoch = database_epoch() and v.token > t
       ), noted as (
         insert into internal.tally_notes (location_id, starts_at, name, n)
         select location_id, '-infinity', 'catalog', token - changes + 1 from ahead
       )
       select 'changes of the catalog' as what, to_jsonb(changes) as before, to_jsonb(token + 1) as after from ahead`,
    ),
  },
  {
    name: 'order numbers',
    means: 'The next order gets the number after the highest, and there are numbers left.',
    advice: 'comanda doctor --repair sets the counter to the highest number.',
    of: 'database',
    asks: statement<Harm>(
      'doctor_order_counters',
      `select l.id as location, 'the counter of orders' as what, coalesce(c.value, 0) < h.number as mild,
         'is at ' || coalesce(c.value, 0) || ', the highest order is ' || h.number as harm
       from locations l cross join lateral (
         select coalesce((select o.number from orders o where o.location_id = l.id order by o.number desc limit 1), 0) as number) h
       left join internal.location_counters c on c.location_id = l.id and c.name = 'order'
       where coalesce(c.value, 0) < h.number or c.value >= 2000000000 and c.value > h.number limit 101`,
    ),
    // Numbers beyond the highest one that an order may have are not given, so no order takes one meanwhile.
    repairs: counterRepair(
      'order',
      'case when c.value >= 2000000000 then excluded.value else greatest(c.value, excluded.value) end',
    ),
  },
  {
    name: 'event numbers',
    means: 'The next event gets the number after the highest: else it could not be published.',
    advice: 'comanda doctor --repair sets the counter to the highest number; then: comanda relay retry',
    of: 'database',
    asks: statement<Harm>(
      'doctor_event_counters',
      `select l.id as location, 'the counter of events' as what,
         'is at ' || coalesce(c.value, 0) || ', the highest event is ' || h.number as harm
       from locations l cross join lateral (
         select e.number from events e where e.location_id = l.id order by e.number desc limit 1) h
       left join internal.location_counters c on c.location_id = l.id and c.name = 'event'
       where coalesce(c.value, 0) < h.number limit 101`,
    ),
    repairs: counterRepair('event', 'greatest(c.value, excluded.value)'),
  },
];

function counterRepair(name: 'order' | 'event', value: string) {
  return statement<Repaired>(
    `repair_${name}_counter`,
    `with was as (
       select c.value from internal.location_counters c where c.location_id = $1 and c.name = '${name}'
     ), mended as (
       insert into internal.location_counters as c (location_id, name, value)
       select $1, '${name}', coalesce((select r.number from ${name}s r where r.location_id = $1 order by r.number desc limit 1), 0)
       on conflict (location_id, name) do update set value = ${value} returning c.value
     )
     select 'the counter of ${name}s' as what, to_jsonb(w.value) as before, to_jsonb(m.value) as after
     from mended m left join was w on true where w.value is distinct from m.value`,
  );
}
