import { statement } from '@comanda/db';

/** The orders of a location, up to the number that the copy has as its last. */
export interface Orders {
  locationId: string;
  orders: number;
  total: string;
}

// Numbers are given without gaps, in the order of the commits: up to its last one a copy has what its original has. A sandbox
// can be reset.
export const readOrders = statement<Orders & { last: number }>(
  'drill_orders',
  `select l.id as "locationId", coalesce(max(o.number), 0)::int as last, count(o.id)::int as orders, coalesce(sum(o.total), 0)::text as total
   from locations l left join orders o on o.location_id = l.id where not l.sandbox group by l.id`,
);

export const readSameOrders = statement<Orders>(
  'drill_same_orders',
  `select l.id as "locationId", o.orders, o.total
   from unnest($1::uuid[], $2::int[]) as w (location_id, last) join locations l on l.id = w.location_id
   cross join lateral (
     select count(*)::int as orders, coalesce(sum(o.total), 0)::text as total from orders o
     where o.location_id = w.location_id and o.number <= w.last) o`,
);

/** The newest event of each of the hundred locations whose newest is the latest. */
export interface Newest {
  locationId: string;
  id: string;
  number: string;
  at: Date;
}

export const readNewest = statement<Newest>(
  'drill_newest_events',
  `select l.id as "locationId", e.id, e.number::text as number, e.created_at as at
   from locations l cross join lateral (
     select e.id, e.number, e.created_at from events e where e.location_id = l.id order by e.number desc limit 1) e
   where not l.sandbox order by e.created_at desc limit 100`,
);

/**
 * How many of some events are not there under the same number, of those whose location is; and how many are too old to say, since
 * the original keeps events for $5 days alone.
 */
export const countUnknown = statement<{ unknown: number; old: number }>(
  'drill_unknown_events',
  `select (count(*) filter (where w.at >= retention_border($5::int)))::int as unknown,
     (count(*) filter (where w.at < retention_border($5::int)))::int as old
   from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[]) as w (location_id, id, number, at)
   join locations l on l.id = w.location_id
   where not exists (select from events e where e.location_id = w.location_id and e.id = w.id and e.number = w.number)`,
);

/** The changes that wait to be published, and those sent since a moment. */
export const readDoings = statement<{ waiting: number; attempts: number }>(
  'drill_doings',
  `select (select count(*)::int from internal.captured_changes where failures = 0) as waiting,
     (select count(*)::int from webhook_attempts where attempted_at > $1::timestamptz) as attempts`,
);

export const setPatience = statement<{ was: string }>(
  'drill_patience',
  `select set_config('statement_timeout', '1h', true) as was`,
);

export const readClock = statement<{ now: Date }>('drill_clock', 'select clock_timestamp() as now');
