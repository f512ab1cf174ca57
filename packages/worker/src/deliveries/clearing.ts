import { again, type Clock, type Database, type Loop, startLoop, statement } from '@comanda/db';
import type { Logger } from 'pino';
import { deliversAfter } from './statements.ts';

const lookEveryMs = 5_000;
/** Rests between two batches are as long as the batch was, and no longer than this. */
const longestRestMs = 1_000;

/**
 * Clears away the deliveries of endpoints that were deleted or disabled, batch by batch, until stopped. Any number of workers
 * may: each takes what no other is at. Its place is kept with every batch, so the next worker goes on where a killed one was.
 */
export function startClearing(database: Database, log: Logger, clock: Clock): Loop {
  return startLoop({
    clock,
    async round() {
      const began = clock.now();
      const cleared = await clearBatch(database);
      return again(cleared === undefined ? lookEveryMs : Math.min(longestRestMs, clock.now() - began));
    },
    failed: (error) =>
      log.warn({ err: error }, 'clearing deliveries away failed; the next round tries again'),
  });
}

/** Rows that a batch looks at: some tens of milliseconds, during which these rows alone are held. */
const batchRows = 1_000;
/**
 * For so long a transaction that saw the endpoint as it was may still commit deliveries: then a last pass is made.
 * Pending deliveries of a disabled endpoint are looked for in between, too, each time after twice as long: an index
 * leads to them.
 */
const settledSeconds = 600;

/** Clears one batch in a transaction; returns how many rows, undefined when there is nothing to clear for now. */
export async function clearBatch(database: Database): Promise<number | undefined> {
  // At rest this is all: begin and commit would be two more round trips, twice a second.
  const [look] = await database.run(isClearingDue, []);
  if (look?.due !== true) return undefined;
  return database.transaction(undefined, async (tx) => {
    const [task] = await tx.run(takeClearing, []);
    if (task === undefined) return undefined;
    const { place: row, locationId, endpointId, gone, afterDue, afterId } = task;
    const place = gone ? [afterId] : [afterDue, afterId];
    const [batch] = await tx.run(gone ? removeDeliveries : dropDeliveries, [
      locationId,
      endpointId,
      batchRows,
      ...place,
    ]);
    if (batch !== undefined && batch.looked === batchRows)
      await tx.run(keepPlace, [row, batch.lastDue, batch.lastId]);
    else await tx.run(endPass, [row, settledSeconds]);
    return batch?.cleared ?? 0;
  });
}

interface Batch {
  looked: number;
  cleared: number;
  lastDue: string | null;
  lastId: string | null;
}

const isClearingDue = statement<{ due: boolean }>(
  'is_clearing_due',
  'select exists (select from internal.endpoint_clearings where look_at <= now()) as due',
);

const takeClearing = statement<{
  place: string;
  locationId: string;
  endpointId: string;
  gone: boolean;
  afterDue: string;
  afterId: string;
}>(
  'take_clearing',
  `select ctid::text as place, location_id as "locationId", endpoint_id as "endpointId", gone, after_due::text as "afterDue",
     after_id as "afterId"
   from internal.endpoint_clearings where look_at <= now() order by look_at, id limit 1 for update skip locked`,
);

// The page is cut before it is judged; rows are then held one by one, and none is waited for (docs/design/database.md, "Plans").

/** Deliveries of an endpoint that is gone: all of the location's are looked at, in the order of their ids. */
const removeDeliveries = statement<Batch>(
  'clear_remove_deliveries',
  `with page as materialized (
     select d.id, d.endpoint_id from webhook_deliveries d
     where d.location_id = $1::uuid and d.id > $4::uuid order by d.id limit $3
   ), gone as (
     delete from webhook_deliveries where ctid = any (array(select h.place from page p cross join lateral (
       select d.ctid as place from webhook_deliveries d
       where d.location_id = $1::uuid and d.id = p.id and p.endpoint_id = $2::uuid for update skip locked) h))
     returning 1
   )
   select (select count(*) from page)::int as looked, (select count(*) from gone)::int as cleared,
     '-infinity' as "lastDue", (select p.id from page p order by p.id desc limit 1) as "lastId"`,
);

/**
 * The pending deliveries of an endpoint that may not be sent to it, in the order of the due times. A row is judged
 * again without `is not null`, which would let the planner of a new location find it among the pending deliveries of
 * all locations.
 */
const dropDeliveries = statement<Batch>(
  'clear_drop_deliveries',
  `with page as materialized (
     select d.next_attempt_at, d.id, d.number from webhook_deliveries d
     where d.location_id = $1::uuid and d.endpoint_id = $2::uuid and d.next_attempt_at is not null
       and (d.next_attempt_at, d.id) > ($4::timestamptz, $5::uuid)
     order by d.next_attempt_at, d.id limit $3
   ), dropped as (
     update webhook_deliveries set status = 'dropped', next_attempt_at = null, leased_until = null, leased_by = null
     where ctid = any (array(select h.place from page p cross join lateral (
       select d.ctid as place from webhook_deliveries d
       where d.location_id = $1::uuid and d.id = p.id and coalesce(d.next_attempt_at > '-infinity', false)
         and p.number <= coalesce(${deliversAfter('$1', '$2')}, 9223372036854775807)
       for update skip locked) h))
     returning 1
   )
   select (select count(*) from page)::int as looked, (select count(*) from dropped)::int as cleared,
     (select p.next_attempt_at::text from page p order by p.next_attempt_at desc, p.id desc limit 1) as "lastDue",
     (select p.id from page p order by p.next_attempt_at desc, p.id desc limit 1) as "lastId"`,
);

const keepPlace = statement(
  'clearing_keep_place',
  `update internal.endpoint_clearings set pass_began_at = coalesce(pass_began_at, now()), after_due = $2::timestamptz,
     after_id = $3::uuid, look_at = now() where ctid = $1::tid`,
);

/** Ends it, if this pass began when no older transaction could add to it any more; else a last pass comes then. */
const endPass = statement(
  'clearing_end_pass',
  `with done as (
     delete from internal.endpoint_clearings where ctid = $1::tid
       and coalesce(pass_began_at, now()) >= asked_at + make_interval(secs => $2)
     returning 1
   )
   update internal.endpoint_clearings set pass_began_at = null, after_due = default, after_id = default,
     look_at = greatest(now(), least(asked_at + make_interval(secs => $2),
       case when gone then 'infinity' else now() + (now() - asked_at) + interval '1 second' end))
   where ctid = $1::tid and not exists (select from done)`,
);
