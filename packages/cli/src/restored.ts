import { operator } from '@comanda/api/src/call/operator.ts';
import { Id } from '@comanda/api/src/wire.ts';
import { type Database, statement } from '@comanda/db';
import { z } from 'zod';
import type { Work } from './command.ts';
import { number, parse } from './input.ts';

/** The counters that were moved on at a location, by name. */
interface Moved {
  location_id: string;
  before: Record<string, number>;
  after: Record<string, number>;
  /** When the newest event of the copy was made: readers whose cursor it does not know begin there. */
  since: string;
}

const Input = z.object({
  ahead: z.int().min(1, 'must be at least 1').max(1_000_000_000),
  location: Id.optional(),
});

/**
 * `comanda restored`: after a restore, moves the numbers of orders and events on, so that none is given twice that was
 * given after the backup. It is the one gap that numbers may have, and is in the audit of each location. By that entry
 * the feed recognizes a cursor that was lost with the restore, and reports from which moment on its reader begins.
 */
export const restored = {
  as: 'owner',
  run: ({ database }, { ahead, location }) =>
    moveOn(database, parse(Input, { ahead: number(ahead), location })),
  show: (value) => {
    const moved = value as Moved[];
    const lines = moved.map(
      ({ location_id, after, since }) =>
        `${location_id}  order ${after.order}, event ${after.event}; readers of events begin with ${since}`,
    );
    return lines.length === 0 ? ['there is nothing to move on'] : lines;
  },
} satisfies Work;

function moveOn(database: Database, { ahead, location }: z.output<typeof Input>): Promise<Moved[]> {
  return database.transaction(undefined, async (tx) => {
    await tx.run(sayDeed, []);
    return tx.run(moveCounters, [ahead, location ?? null, operator.getStore() ?? null]);
  });
}

const sayDeed = statement('restored_deed', `select deed('repair: comanda restored')`);

const moveCounters = statement<Moved>(
  'restored_move_counters',
  `with moved as (
     insert into internal.location_counters as c (location_id, name, value)
     select l.id, n.name, $1::bigint from locations l cross join (values ('order'), ('event')) n (name)
     where $2::uuid is null or l.id = $2::uuid
     on conflict (location_id, name) do update set value = c.value + excluded.value
     returning c.location_id, c.name, c.value
   ), recorded as (
     select m.location_id, jsonb_object_agg(m.name, m.value - $1::bigint) as before, jsonb_object_agg(m.name, m.value) as after,
       to_char(coalesce(
         (select e.created_at from events e where e.location_id = m.location_id order by e.number desc limit 1),
         (select l.created_at from locations l where l.id = m.location_id)
       ) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
     from moved m group by m.location_id
   ), written as (
     insert into audit_entries (location_id, id, actor_kind, application_name, operation, changes)
     select location_id, uuid_v7(), 'command_line', $3, 'locations.restored',
       jsonb_build_object('before', before, 'after', after, 'since', since)
     from recorded
   )
   select location_id, before, after, since from recorded order by location_id`,
);
