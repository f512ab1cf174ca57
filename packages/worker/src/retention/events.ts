import { type Database, statement } from '@comanda/db';
import { type Batch, type BatchOf, batchRows } from './batch.ts';
import { before } from './border.ts';

/**
 * Removes old events of one location in the order of their numbers, with the deliveries and attempts that came of
 * them. An event is held before its deliveries are looked at, so none can be made meanwhile; what waits for an
 * attempt stays, and its event with it.
 */
export async function removeOldEvents(database: Database, { scope, keep, after }: BatchOf): Promise<Batch> {
  return database.transaction(undefined, async (tx) => {
    const held = await tx.run(holdOldEvents, [scope, keep, batchRows, after ?? '0']);
    if (held.length === 0) return { removed: 0, next: undefined };
    const ids = held.map(({ id }) => id);
    await tx.run(removeFinishedDeliveries, [scope, ids]);
    const [row] = await tx.run(removeHeldEvents, [scope, ids, keep]);
    const last = held.at(-1)?.number;
    return { removed: row?.removed ?? 0, next: held.length < batchRows ? undefined : last };
  });
}

// The page is cut before it is judged: otherwise the last page would read every event of the location.
const holdOldEvents = statement<{ id: string; number: string }>(
  'retention_hold_events',
  `with page as materialized (
     select e.id, e.number, e.created_at from events e
     where e.location_id = $1::uuid and e.number > $4::bigint order by e.number limit $3
   )
   select e.id, e.number::text as number from page p
   join events e on e.location_id = $1::uuid and e.id = p.id
   where p.created_at < ${before('$2')}
   order by p.number for update of e skip locked`,
);

// Its condition is judged again on a row that was changed at the same time; attempts are deleted with their
// delivery.
const removeFinishedDeliveries = statement(
  'retention_remove_deliveries',
  `delete from webhook_deliveries d
   where d.location_id = $1::uuid and d.event_id = any ($2::uuid[]) and d.next_attempt_at is null
     and d.leased_by is null and d.status in ('delivered', 'dead', 'dropped')`,
);

/** A guard keeps events: the function alone may remove them. */
const removeHeldEvents = statement<{ removed: number }>(
  'retention_remove_events',
  'select remove_old_events($1::uuid, $2::uuid[], $3::int) as removed',
);
