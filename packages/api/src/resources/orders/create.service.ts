import { means, newId, sqlState } from '@comanda/db';
import { invalid, unavailable } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext, Idempotency } from '../../request/context.ts';
import { keyReused } from '../../request/idempotency.ts';
import { originOf } from '../../request/request-id.ts';
import { tagOfRow } from '../../request/tags.ts';
import { decimalText } from './decimals.rules.ts';
import type { OrderRequest, PricedOrder } from './facts.rules.ts';
import { readFacts } from './facts.store.ts';
import { externalIdTaken, priceOrder, shortages, soldOut } from './rules.ts';
import type { Order } from './schema.ts';
import { catchUpOrderNumber, findOrderId, placeOrder } from './statements.ts';

/** How often what is ordered may change under an order before its caller is asked to come back. */
const attempts = 5;

/**
 * Creates an order with its payment, its stock and its key in one transaction: decides from what is read, and calls
 * place_order, which checks again what may have changed since. Throws `validation_error` naming every failing field,
 * `conflict` for a taken `external_id` or a key with another body.
 */
export async function create(ctx: CallContext, request: OrderRequest): Promise<Answer<Order>> {
  const { idempotency } = ctx;
  if (idempotency === undefined) throw new Error('an order needs an idempotency key');
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const facts = await readFacts(ctx.app.places.joined, ctx.caller.locationId, request);
    const order = priceOrder(request, ctx.simulation?.fault === 'stock_gone' ? soldOut(facts) : facts);
    const id = newId();
    const { outcome, response } = await write(ctx, idempotency, request, id, order);
    if (outcome === 'reused') throw keyReused();
    if (outcome === 'created' && response !== null)
      return { text: response, etag: tagOfRow(id, firstRevision) };
    if (outcome === 'replayed' && response !== null) return { text: response, replayed: true };
  }
  const message = 'What is ordered is changing at the moment; try again shortly.';
  throw unavailable('location_busy', message, { seconds: 1 });
}

/** The default of the column: nothing has changed an order that was just made. */
const firstRevision = '1';

type Written = { outcome: 'created' | 'replayed' | 'reused' | 'stale'; response: string | null };

async function write(
  ctx: CallContext,
  { operation, key, requestHash }: Idempotency,
  request: OrderRequest,
  id: string,
  order: PricedOrder,
): Promise<Written> {
  const { caller, app } = ctx;
  const { products, choices, lines } = order;
  try {
    const [written] = await app.database.run(placeOrder, [
      ...[caller.locationId, caller.apiKeyId, operation, key, requestHash, app.policy.idempotencyTtlHours],
      ...[originOf(ctx), id, request.external_id, request.channel ?? null],
      ...[request.is_take_away, request.identifier, request.payment_method_id, order.total],
      ...[products.map(({ id }) => id), products.map(({ version }) => version), products.map(quantityText)],
      ...[choices.map(({ id }) => id), choices.map(({ version }) => version), choices.map(quantityText)],
      ...[lines.map((line) => line.product_id), lines.map(({ name }) => name)],
      ...[lines.map((line) => line.unit_price), lines.map(({ quantity }) => quantity)],
      ...[lines.map(({ total }) => total), lines.map(({ comment }) => comment ?? null)],
      lines.map(({ selections }) => (selections.length === 0 ? null : JSON.stringify(selections))),
    ]);
    return written ?? { outcome: 'stale', response: null };
  } catch (error) {
    return refusal(ctx, request, order, error);
  }
}

const quantityText = ({ quantity }: { quantity: bigint }) => decimalText(quantity, 3);

// What Postgres refused, told in the caller's words; what only came too early is tried again.
async function refusal(
  { app, caller }: CallContext,
  { external_id }: OrderRequest,
  { products, choices }: PricedOrder,
  error: unknown,
): Promise<Written> {
  const { code, constraint = '', detail = '' } = sqlState(error) ?? {};
  const stale: Written = { outcome: 'stale', response: null };
  if (means(code, 'insufficientStock')) {
    const left = JSON.parse(detail) as Record<'products' | 'items', Record<string, string>>;
    throw invalid([
      ...shortages(products, (id) => left.products[id]),
      ...shortages(choices, (id) => left.items[id]),
    ]);
  }
  if (means(code, 'externalIdTaken')) throw externalIdTaken(external_id, detail);
  if (means(code, 'taken') && constraint === 'orders_location_id_number_key') {
    await app.database.run(catchUpOrderNumber, [caller.locationId]);
    return stale;
  }
  if (means(code, 'taken') && constraint === 'orders_location_id_external_id_key') {
    const [other] = await app.database.run(findOrderId, [caller.locationId, external_id]);
    if (other === undefined) return stale;
    throw externalIdTaken(external_id, other.id);
  }
  // A deadlock, with us as its victim; what it names is gone, as a sandbox was reset.
  if (means(code, 'deadlocked', 'referenced')) return stale;
  throw error;
}
