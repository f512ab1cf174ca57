import { randomUUID } from 'node:crypto';
import { json } from '../support/money.ts';
import { waitFor } from '../support/wait.ts';
import type { Caller } from './acts.ts';
import type { Restaurant } from './restaurant.ts';

/** A price that was planned for now, and what its caller did at once with it. */
export interface PricePlan {
  id: string;
  product: string;
  cents: { before: bigint; planned: bigint; later: bigint };
  beside: 'nothing' | 'a change' | 'a deletion' | 'a cancellation';
  /** How it ended, once that is known: the status of the price, or why it was skipped. */
  ended?: string;
}

/** How a plan may end: what the caller did may have come first or last. */
const endings: Readonly<Record<PricePlan['beside'], readonly string[]>> = {
  nothing: ['applied'],
  'a change': ['applied', 'price_changed'],
  'a deletion': ['applied', 'product_deleted'],
  'a cancellation': ['applied', 'canceled'],
};

/** Makes a product, plans its price for now, and then does something to it while a worker may be at it. */
export async function planPrice({ ask, chance, model, number }: Caller): Promise<void> {
  const name = `planned-${number}-${chance.between(0, 1e9)}`;
  const before = BigInt(chance.between(101, 999));
  const cents = { before, planned: before + 1_000n, later: before + 2_000n };
  const must = async (route: string, body: object, status: number) => {
    const answer = await ask(route, body, randomUUID());
    if (answer.status !== status) throw new Error(`${name}, ${route}: ${answer.text}`);
    return JSON.parse(answer.text).data as { id: string };
  };
  const made = { external_id: name, name, description: '', price: json(before) };
  const { id: product } = await must('POST /v2/products', made, 201);
  model.note('product.created', product);
  const named = chance.percent(50) ? { product_id: product } : { external_id: name };
  const prices = [{ ...named, price: json(cents.planned) }];
  const planned = { effective_at: new Date().toISOString(), prices };
  const { id } = await must('POST /v2/price-changes', planned, 201);
  const plan: PricePlan = {
    id,
    product,
    cents,
    beside: chance.pick(['nothing', 'a change', 'a deletion', 'a cancellation']),
  };
  model.plans.push(plan);
  if (plan.beside === 'a change') {
    await must(`PATCH /v2/products/${product}`, { price: json(cents.later) }, 200);
    model.note('product.updated', product);
  }
  if (plan.beside === 'a deletion') {
    await must(`DELETE /v2/products/${product}`, {}, 200);
    model.note('product.deleted', product);
  }
  if (plan.beside === 'a cancellation') {
    const { status, text } = await ask(`DELETE /v2/price-changes/${id}`, {});
    if (status !== 200 && status !== 409) throw new Error(`${name} canceled: ${text}`);
    plan.ended = status === 200 ? 'canceled' : 'applied';
    if (status === 409) model.note('product.updated', product);
  }
}

/** Waits until every plan has ended: a price that was applied was published. @throws {Error} for an end that cannot be. */
export async function plansEnd({ model, data }: Pick<Restaurant, 'model' | 'data'>): Promise<void> {
  for (const plan of model.plans) {
    if (plan.ended !== undefined) continue;
    plan.ended = await waitFor(
      'the end of planned prices',
      async () => {
        const ended = await endOf(data, plan);
        return ended !== 'planned' && ended;
      },
      { timeoutMs: 60_000 },
    );
    if (plan.ended === 'applied') model.note('product.updated', plan.product);
  }
}

/** Each plan has ended as the model knows, and its product has the price that follows. @throws {Error} at the first difference. */
export async function comparePlans({ model, data, ask }: Restaurant): Promise<void> {
  for (const plan of model.plans) {
    const ended = await endOf(data, plan);
    if (ended !== plan.ended || !endings[plan.beside].includes(ended))
      throw new Error(`planned prices, and ${plan.beside}: ${ended}, not ${plan.ended}`);
    const { status, text } = await ask(`GET /v2/products/${plan.product}`);
    const price = status === 404 ? undefined : JSON.parse(text).data.price;
    const expected = priceAfter(plan);
    if (price !== expected)
      throw new Error(`planned prices, ${ended}, and ${plan.beside}: ${price}, not ${expected}`);
  }
}

async function endOf(data: Restaurant['data'], { id }: PricePlan): Promise<string> {
  const { prices } = await data<{ prices: { status: string; reason?: string }[] }>(
    `GET /v2/price-changes/${id}`,
  );
  return prices[0]?.reason ?? prices[0]?.status ?? 'no price';
}

function priceAfter({ beside, ended, cents }: PricePlan): unknown {
  if (beside === 'a deletion') return undefined;
  if (beside === 'a change') return json(cents.later);
  return json(ended === 'applied' ? cents.planned : cents.before);
}
