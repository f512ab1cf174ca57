import { means, sqlState } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { JoinedCall } from '../../call/context.ts';
import { keyReused } from '../../call/idempotency.ts';
import { withSlot } from '../../call/joined-calls.ts';
import { originOf } from '../../call/request-id.ts';
import { tagOfRow } from '../../call/tags.ts';
import { invalid, unavailable } from '../../errors.ts';
import type { OrderRequest, PricedOrder } from './facts.rules.ts';
import { readFacts, recentFacts } from './facts.store.ts';
import { passesPause, readObstacles } from './obstacles.store.ts';
import { type Placed, type PlacedOrder, placing } from './placing.store.ts';
import { decideOrder, externalIdTaken, shortages, soldOut } from './rules.ts';
import type { Order } from './schema.ts';
import { catchUpOrderNumber } from './statements.ts';

/** How often what is ordered may change under an order before its caller is asked to come back. */
const attempts = 5;

/**
 * Creates an order with its payment, its stock and its key in one transaction, which orders that come at once share: decides from
 * what is read, and calls place_order_batch, which checks again what may have changed since. Throws `conflict` for a taken
 * `external_id`, a paused location or a key with another body, else `validation_error` naming every failing field.
 */
export async function create(ctx: JoinedCall, request: OrderRequest): Promise<Answer<Order>> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const order = await decide(ctx, request, attempt === 1 && ctx.simulation === undefined);
    const placed = await place(ctx, memberOf(ctx, { request, order }));
    if (placed.outcome === 'reused') throw keyReused();
    if (placed.outcome === 'taken') throw externalIdTaken(request.external_id, placed.by);
    // Without an obstacle the pause has ended in the meantime: decide again.
    if (placed.outcome === 'paused') await refuseObstacle(ctx, request);
    if (placed.outcome === 'short')
      throw invalid([
        ...shortages(order.products, (id) => placed.left[id]),
        ...shortages(order.choices, (id) => placed.left[id]),
      ]);
    if (placed.outcome === 'created')
      return { text: placed.response, etag: tagOfRow(placed.id, firstRevision) };
    if (placed.outcome === 'replayed') return { text: placed.response, replayed: true };
  }
  const message = 'The ordered products are changing at the moment; try again shortly.';
  throw unavailable('location_busy', message, { seconds: 1 });
}

/** The default of the column: nothing has changed an order that was just made. */
const firstRevision = '1';

/**
 * Decides from what an earlier order has read, which place_order_batch compares, or else from what is there now: in the first
 * case without a refusal. Which refusal comes first is in docs/contract-resources.md: obstacles come before what the order lacks.
 */
async function decide(ctx: JoinedCall, request: OrderRequest, mayBeRecent: boolean): Promise<PricedOrder> {
  const { app, caller, simulation } = ctx;
  const known = mayBeRecent ? recentFacts(caller.locationId, request) : undefined;
  if (known !== undefined) {
    const { order, faults } = decideOrder(request, known);
    if (faults.length === 0) return order;
  }
  const facts = await readFacts(app.capacity.joinedReads, caller.locationId, request);
  const { order, faults } = decideOrder(request, simulation?.fault === 'stock_gone' ? soldOut(facts) : facts);
  if (faults.length === 0) return order;
  await refuseObstacle(ctx, request);
  throw invalid(faults);
}

/** Throws what stands against the order whatever it asks for, if anything does. */
async function refuseObstacle(ctx: JoinedCall, request: OrderRequest): Promise<void> {
  const { taken, paused } = await withSlot(ctx, ({ app }) =>
    readObstacles(app.database, ctx.caller, request),
  );
  const obstacle = taken ?? paused;
  if (obstacle !== undefined) throw obstacle;
}

function memberOf(ctx: JoinedCall, decided: Pick<PlacedOrder, 'request' | 'order'>): PlacedOrder {
  const { app, idempotency, caller } = ctx;
  if (idempotency === undefined) throw new Error('an order needs an idempotency key');
  const { operation, key, requestHash } = idempotency;
  const { apiKeyId, granted } = caller;
  return {
    ...decided,
    apiKeyId,
    operation,
    key,
    requestHash,
    ttlHours: app.policy.idempotencyTtlHours,
    origin: originOf(ctx),
    passesPause: passesPause(granted, decided.request),
  };
}

/** The unique indexes that hold `external_id`: over the text, and over its NFC. */
const identifierIndexes: readonly string[] = [
  'orders_location_id_external_id_key',
  'orders_external_id_form_idx',
];

// An order that came too early is tried again.
async function place(ctx: JoinedCall, member: PlacedOrder): Promise<Placed> {
  const { locationId } = ctx.caller;
  try {
    const placed = await ctx.app.capacity.joinedWrites.write(placing, locationId, member);
    // Another process does a call with the same key: that is waited for, and no other call waits behind it.
    return placed.outcome === 'busy'
      ? await ctx.app.capacity.joinedWrites.writeAlone(placing, locationId, member)
      : placed;
  } catch (error) {
    const { code, constraint = '' } = sqlState(error) ?? {};
    if (means(code, 'taken') && constraint === 'orders_location_id_number_key')
      await withSlot(ctx, ({ app }) => app.database.run(catchUpOrderNumber, [locationId]));
    else if (means(code, 'taken') && identifierIndexes.includes(constraint)) {
      // The order that has the identifier may be gone by now: then this one is tried again.
      await refuseObstacle(ctx, member.request);
    }
    // A deadlock, with us as its victim; what it names is gone, as a sandbox was reset.
    else if (!means(code, 'deadlocked', 'referenced')) throw error;
    return { outcome: 'stale' };
  }
}
