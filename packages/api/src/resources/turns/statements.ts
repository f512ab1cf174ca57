import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';
import type { Drawer } from './schema.ts';

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

const entriesOf = (turn: string, where = '') => `settlement_entries e
       join payments p on p.location_id = e.location_id and p.id = e.payment_id
       join payment_methods m on m.location_id = p.location_id and m.id = p.payment_method_id
       where e.location_id = $1::uuid and e.turn_id = ${turn}${where}`;

/** $1 location. With what was collected by type of payment method. */
export const readOpenTurnWithMethods = statement<TurnText>(
  'read_open_turn_methods',
  `select left(j.doc, -1) || ',"methods":' || (
     select coalesce('[' || string_agg('{"method":"' || k.type || '","count":' || k.count || ',"collected":' || trim_scale(k.collected)
       || ',"refunded":' || trim_scale(k.refunded) || '}', ',' order by k.collected desc, k.type) || ']', '[]')
     from (
       select m.type, count(*) filter (where e.kind = 'payment') - count(*) filter (where e.kind = 'correction') as count,
         coalesce(sum(e.amount) filter (where e.kind <> 'refund'), 0) as collected,
         coalesce(sum(e.amount) filter (where e.kind = 'refund'), 0) as refunded
       from ${entriesOf('t.id')} group by m.type) k) || '}' as doc
   from turns t, lateral turns_json(t.location_id, array[t.id]) j
   where t.location_id = $1::uuid and t.status = 'open'`,
);

/** $1 location, $2 turn, $3 starting cash, $4 counted cash, amounts as text. */
export const readDrawer = statement<Drawer>(
  'read_drawer',
  `select x.starting_cash::float8, x.expected::float8, x.counted::float8, (x.counted - x.expected)::float8 as difference
   from (select $3::numeric as starting_cash, $3::numeric + coalesce(sum(e.amount), 0) as expected, $4::numeric as counted
     from ${entriesOf('$2::uuid', " and m.type = 'cash'")}) x`,
);

/** $1 location. Waits for a transaction that is closing it. */
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
