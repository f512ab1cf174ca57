import {
  isId,
  newId,
  type Queryable,
  type Statement,
  sqlState,
  statement,
  type Transaction,
} from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext, Lookup } from '../../call/context.ts';
import { pageStatement, readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import type { ClosedTurn, Drawer, OpenTurn, OpenTurnGet, Turn, TurnClose } from './schema.ts';

/** Lists turns, newest first. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<Turn>>> => readPage(ctx, listTurns, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: Lookup, id: string): Promise<Answer<Turn>> {
  if (!isId(id)) throw notFound('Turn');
  return { text: await read(ctx.app.database, readTurn, [ctx.caller.locationId, id]) };
}

/** Reads the open one, with what `include` asks for. Throws `resource_not_found` when none is. */
export async function getCurrent(
  ctx: CallContext,
  { include = [] }: OpenTurnGet = {},
): Promise<Answer<OpenTurn>> {
  const statement = include.includes('methods') ? readOpenTurnWithMethods : readOpenTurn;
  return { text: await read(ctx.app.database, statement, [ctx.caller.locationId], 'Open turn') };
}

/** Opens one; orders made from now on belong to it. Throws `conflict` when one is open. */
export async function open(ctx: CallContext): Promise<Answer<Turn>> {
  const { locationId } = ctx.caller;
  const id = newId();
  try {
    return await inTransaction(ctx, async (tx) => {
      if ((await tx.run(holdOpenTurn, [locationId])).length > 0) throw openAlready();
      return { text: await begin(tx, ctx, id) };
    });
  } catch (error) {
    // Two at once: the second found no turn to hold, and was refused by the database.
    if (sqlState(error)?.constraint === 'turns_one_open_idx') throw openAlready();
    throw error;
  }
}

/**
 * Closes the open one; the database settles it in the same transaction, for a close by hand, too.
 * With `open_next` it opens the next one in that transaction, and an order that waited for the close gets that. With
 * `counted` the audit keeps the drawer. Of two closes at once one wins. Throws `conflict` when
 * none is open.
 */
export async function close(
  ctx: CallContext,
  { open_next = false, counted, starting_cash = 0 }: TurnClose = {},
): Promise<Answer<ClosedTurn>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const cash = counted === undefined ? [null, null] : [String(starting_cash), String(counted)];
    const [closed] = await tx.run(closeTurn, [locationId, ...cash]);
    if (closed === undefined) throw conflict('no_turn', 'No turn is open.');
    const [drawer] = await tx.run(readDrawer, [locationId, closed.id]);
    audit(tx, ctx, 'turns.close', closed.id, {
      before: { status: 'open' },
      after: { status: 'closed', ...drawer },
    });
    const turn = await read(tx, readTurn, [locationId, closed.id]);
    const more = [
      ...(drawer === undefined ? [] : [`"drawer":${JSON.stringify(drawer)}`]),
      ...(open_next ? [`"next":${await begin(tx, ctx, newId())}`] : []),
    ];
    return { text: `${[turn.slice(0, -1), ...more].join(',')}}` };
  });
}

/** Opens a turn within a transaction, which holds that none is open. */
async function begin(tx: Transaction, ctx: CallContext, id: string): Promise<string> {
  const { locationId } = ctx.caller;
  await tx.run(openTurn, [locationId, id]);
  audit(tx, ctx, 'turns.open', id, { before: null, after: { status: 'open' } });
  return read(tx, readTurn, [locationId, id]);
}

const openAlready = () => conflict('turn_open', 'A turn is open already; close it first.');

async function read(
  queryable: Queryable,
  statement: Statement<TurnText>,
  values: readonly unknown[],
  resource = 'Turn',
): Promise<string> {
  const [found] = await queryable.run(statement, values);
  if (found === undefined) throw notFound(resource);
  return found.doc;
}

// Not Prisma: turns_json is the one definition of a turn, which events show, too.

/** A turn as JSON text. */
interface TurnText {
  doc: string;
}

/** $1 location, $2 limit, $3 offset. */
const listTurns = pageStatement({
  name: 'list_turns',
  table: 'turns',
  order: 'r.started_at desc, r.id desc',
  entry: 'j.doc',
  joins: 'cross join lateral turns_json($1::uuid, array[r.id]) j',
});

/** $1 location, $2 id. */
const readTurn = statement<TurnText>('read_turn', 'select doc from turns_json($1::uuid, array[$2::uuid])');

/** $1 location. */
const readOpenTurn = statement<TurnText>(
  'read_open_turn',
  `select j.doc from turns t, lateral turns_json(t.location_id, array[t.id]) j
   where t.location_id = $1::uuid and t.status = 'open'`,
);

const entriesOf = (turn: string, where = '') => `settlement_entries e
       join payments p on p.location_id = e.location_id and p.id = e.payment_id
       join payment_methods m on m.location_id = p.location_id and m.id = p.payment_method_id
       where e.location_id = $1::uuid and e.turn_id = ${turn}${where}`;

/** $1 location. With what was collected by type of payment method. */
const readOpenTurnWithMethods = statement<TurnText>(
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

/** $1 location, $2 turn. None where the cash was not counted. */
const readDrawer = statement<Drawer>(
  'read_drawer',
  `select t.starting_cash::float8, x.expected::float8, t.counted::float8, (t.counted - x.expected)::float8 as difference
   from turns t cross join lateral (select t.starting_cash + coalesce(sum(e.amount), 0) as expected
     from ${entriesOf('t.id', " and m.type = 'cash'")}) x
   where t.location_id = $1::uuid and t.id = $2::uuid and t.counted is not null`,
);

/** $1 location. Waits for a transaction that is closing it. */
const holdOpenTurn = statement<{ id: string }>(
  'hold_open_turn',
  `select id from turns where location_id = $1::uuid and status = 'open' for share`,
);

/** $1 location, $2 id. Turns that were written by hand may be ahead of the counter. */
const openTurn = statement<{ id: string }>(
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

/** $1 location, $2 starting cash, $3 counted cash. Takes the row from the orders that share it, so every one of them counts. */
const closeTurn = statement<{ id: string }>(
  'close_turn',
  `update turns set status = 'closed', starting_cash = $2::numeric, counted = $3::numeric where location_id = $1::uuid and status = 'open' returning id`,
);
