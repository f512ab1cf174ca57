import { statement } from '@comanda/db';
import { pageStatement } from '../../request/page-text.ts';

// Not Prisma: turns_json is the one definition of a turn, which events show, too.

/** A turn as JSON text. */
export interface TurnText {
  doc: string;
}

/** $1 location, $2 limit, $3 offset. */
export const listTurns = pageStatement({
  ...{ name: 'list_turns', table: 'turns', order: 'r.started_at desc, r.id desc', entry: 'j.doc' },
  joins: 'cross join lateral turns_json($1::uuid, array[r.id]) j',
});

/** $1 location, $2 id. */
export const readTurn = statement<TurnText>(
  'read_turn',
  'select doc from turns_json($1::uuid, array[$2::uuid])',
);

/** $1 location. */
export const readOpenTurn = statement<TurnText>(
  'read_open_turn',
  `select j.doc from turns t, lateral turns_json(t.location_id, array[t.id]) j
   where t.location_id = $1::uuid and t.status = 'open'`,
);

/** $1 location. Waits for whoever is closing it. */
export const holdOpenTurn = statement<{ id: string }>(
  'hold_open_turn',
  `select id from turns where location_id = $1::uuid and status = 'open' for share`,
);

/** $1 location, $2 id. Turns that were written by hand may be ahead of the counter. */
export const openTurn = statement<{ id: string }>(
  'open_turn',
  `with written as (
     select coalesce(max(t.batch_number), 0) as number from turns t where t.location_id = $1::uuid
   ), counted as (
     insert into internal.location_counters as c (location_id, name, value)
     select $1::uuid, 'batch', number + 1 from written
     on conflict (location_id, name) do update
     set value = greatest(c.value, (select number from written)) + 1 returning value
   )
   insert into turns (location_id, id, batch_number, started_at)
   select $1::uuid, $2::uuid, value, clock_timestamp() from counted returning id`,
);

/** $1 location. Takes the row from the orders that share it, so every one of them counts. */
export const closeTurn = statement<{ id: string }>(
  'close_turn',
  `update turns set status = 'closed' where location_id = $1::uuid and status = 'open' returning id`,
);
