import { isId } from '@comanda/db';
import { type Answer, answerPage, valueIn } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext, JoinedCall, Lookup } from '../../call/context.ts';
import { writeInSlot } from '../../call/joined-calls.ts';
import { originOf } from '../../call/request-id.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { type JoinedRow, rowsById } from '../../capacity/joined-reads.ts';
import { ApiError, notFound } from '../../errors.ts';
import { keptByName } from '../../kept.ts';
import { grants } from '../../permissions.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { isPersonsKey } from '../keys/schema.ts';
import { orderChanges } from './changes.statements.ts';
import { listOrders } from './list.statements.ts';
import { moveOne, moving, type OrderMove } from './moving.store.ts';
import { moveRefused } from './rules.ts';
import type { Order, OrderList, OrderListEntry, OrderRead, OrderStatus, OrderWithBooks } from './schema.ts';
import type { OrderSearch, OrdersFound } from './search.schema.ts';
import { type MovedRow, type OrderText, readOrderByExternalId, readOrders, shownOf } from './statements.ts';
import type { OrderTimeline } from './timeline.schema.ts';
import { readTimeline } from './timeline.statements.ts';

/** Lists orders, newest first unless said. Specification: Orders, v1 and v2. */
export async function list(ctx: CallContext, input: OrderList): Promise<Answer<ChangesPage<OrderListEntry>>> {
  refuseHiddenCustomer(ctx, input.include);
  // An id of another form is that of nothing.
  if ([input.turn_id, input.settlement_id].some((id) => id !== undefined && !isId(id)))
    return answerPage(undefined, input);
  if (readsChanges(input)) return readChanges(ctx, input, orderChanges(input));
  const { statement, values } = listOrders(ctx.caller.locationId, input);
  const [page] = await ctx.app.database.run(statement, values);
  return answerPage(page, input);
}

/** Lists the orders of some days that have a part of a text, newest first. Contract: internal procedures. */
export async function search(ctx: CallContext, input: OrderSearch): Promise<Answer<OrdersFound>> {
  const { statement, values } = listOrders(ctx.caller.locationId, {
    ...input,
    sort: 'created_at',
    order: 'desc',
    include: ['details'],
  });
  const [page] = await ctx.app.database.run(statement, values);
  return answerPage(page, input);
}

/** Reads one in full. Throws `resource_not_found`. */
export async function get(
  ctx: JoinedCall,
  id: string,
  include: OrderRead['include'] = [],
): Promise<Answer<OrderWithBooks>> {
  if (!isId(id)) throw notFound('Order');
  refuseHiddenCustomer(ctx, include);
  const rows = shownRows(shownOf(include), (shown) => rowsById(readOrders(shown)));
  const order = await ctx.app.capacity.joinedReads.read(rows, { location_id: ctx.caller.locationId, id });
  return found(order, include);
}

const shownRows = keptByName<ReturnType<typeof rowsById<OrderText & JoinedRow>>>();

/** Whether the caller may see whom orders are for. */
export const seesCustomer = ({ caller }: Pick<CallContext, 'caller'>): boolean =>
  grants(caller.granted, 'customers:read');

/** Throws `permission_denied` where it is asked for by a caller that may not. */
export function refuseHiddenCustomer(
  ctx: Pick<CallContext, 'caller'>,
  include: readonly string[] = [],
): void {
  if (include.includes('customer') && !seesCustomer(ctx))
    throw new ApiError('permission_missing', 'include=customer needs the permission customers:read.');
}

/** The same as it was sold, without other callers, and whom it is for if that was `granted`. Throws `resource_not_found`. */
export async function readOrder(
  { app, caller }: Lookup,
  id: string,
  granted: ReadonlySet<string>,
): Promise<OrderWithBooks> {
  const seen = grants(granted, 'customers:read') ? ['customer', 'snapshot'] : ['snapshot'];
  const [order] = await app.database.run(readOrders(shownOf(seen)), [[caller.locationId], [id]]);
  return valueIn(found(order));
}

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(
  ctx: CallContext,
  externalId: string,
  include: OrderRead['include'] = [],
): Promise<Answer<OrderWithBooks>> {
  refuseHiddenCustomer(ctx, include);
  const values = [ctx.caller.locationId, externalId];
  const [order] = await ctx.app.database.run(readOrderByExternalId(shownOf(include)), values);
  return found(order, include);
}

/**
 * Returns the history of an order, oldest first: its creation and moves with their authors, the events of the order
 * and of its payments, and every attempt to deliver these. Throws `resource_not_found`.
 */
export async function timeline(ctx: Lookup, id: string): Promise<Answer<OrderTimeline>> {
  if (!isId(id)) throw notFound('Order');
  const [history] = await ctx.app.database.run(readTimeline, [ctx.caller.locationId, id]);
  if (history === undefined) throw notFound('Order');
  return { text: history.doc };
}

/**
 * Moves one, keeping the reason of a cancellation; concurrent moves share a transaction. Moves of one order are
 * serialized: of two racing moves only one legal one wins. Moves by a person at the app are in the audit. Throws
 * `resource_not_found`, `conflict` for a move that is not in the table.
 */
export async function move(
  ctx: JoinedCall,
  id: string,
  to: OrderStatus,
  reason?: string,
): Promise<Answer<Order>> {
  if (!isId(id)) throw notFound('Order');
  const { locationId, apiKeyId, keyName } = ctx.caller;
  const member: OrderMove = { id, to, reason, origin: originOf(ctx), apiKeyId };
  const { idempotency, precondition } = ctx;
  if (idempotency === undefined && precondition === undefined && !isPersonsKey(keyName))
    return movedTo(member, await ctx.app.capacity.joinedWrites.write(moving, locationId, member)).answer;
  return writeInSlot(ctx, (call) =>
    inTransaction(call, async (tx) => {
      const { previous, answer } = movedTo(member, await moveOne(tx, locationId, member));
      const operation = to === 'canceled' ? 'orders.cancel' : 'orders.updateStatus';
      // Without the reason, which a guest may be named in: it is kept with the order, where it is erased.
      if (isPersonsKey(keyName))
        audit(tx, call, operation, id, { before: { status: previous }, after: { status: to } });
      return answer;
    }),
  );
}

function movedTo({ id, to }: OrderMove, moved: MovedRow | undefined) {
  if (moved === undefined || moved.previous === null) throw notFound('Order');
  const { previous, response, revision } = moved;
  if (response === null) throw moveRefused(previous, to);
  return { previous, answer: { text: response, etag: tagOfRow(id, revision) } };
}

function found(
  order: OrderText | undefined,
  include: NonNullable<OrderRead['include']> = [],
): Answer<OrderWithBooks> {
  if (order === undefined) throw notFound('Order');
  const { id, doc, revision } = order;
  const text = include.includes('revision') ? `${doc.slice(0, -1)},"revision":${revision}}` : doc;
  return { text, etag: tagOfRow(id, revision) };
}
