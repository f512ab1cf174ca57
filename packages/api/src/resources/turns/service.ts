import { isId, newId, type Queryable, type Statement, sqlState, type Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext, Lookup } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import type { ClosedTurn, OpenTurn, OpenTurnGet, Turn, TurnClose } from './schema.ts';
import {
  closeTurn,
  holdOpenTurn,
  listTurns,
  openTurn,
  readDrawer,
  readOpenTurn,
  readOpenTurnWithMethods,
  readTurn,
  type TurnText,
} from './statements.ts';

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
 * Closes the open one; the database settles it in the same transaction, for a close by hand, too (docs/decisions/0007).
 * With `open_next` it opens the next one in that transaction, and an order that waited for the close gets that. With
 * `counted` the audit keeps the drawer (docs/decisions/0086). Of two closes at once one wins. Throws `conflict` when
 * none is open.
 */
export async function close(
  ctx: CallContext,
  { open_next = false, counted, starting_cash = 0 }: TurnClose = {},
): Promise<Answer<ClosedTurn>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const [closed] = await tx.run(closeTurn, [locationId]);
    if (closed === undefined) throw conflict('no_turn', 'No turn is open.');
    const cash = [locationId, closed.id, String(starting_cash), String(counted)];
    const [drawer] = counted === undefined ? [] : await tx.run(readDrawer, cash);
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
