import type { Chance } from '../support/chance.ts';
import { json } from '../support/money.ts';
import { drawOrder, taxRates } from './draw.ts';
import { revisit, serve } from './lives.ts';
import type { Model } from './model.ts';
import { isScarce, type Product } from './offer.ts';
import {
  bodyOf,
  type CreatedOrder,
  contentsOfDraft,
  type Draft,
  type PlacedOrder,
  takenBy,
} from './orders.ts';
import { planPrice } from './plans.ts';
import type { Ask, Restaurant } from './restaurant.ts';

/** What callers do in addition to orders and changes. */
export interface Habits {
  /** One act in so many starts a sync job; none unless given. */
  jobEvery?: number;
  /** One act in so many plans a price, which a worker has to apply; none unless given. */
  planEvery?: number;
  /** Items of a job: 50 to 400 unless given. */
  jobItems?: readonly [least: number, most: number];
  /** Only what versions before 0.2.0 know: orders that carry nothing beside lines, no edits, no refunds, and one payment each, moved by tRPC. */
  plain?: boolean;
}

/** A caller: one act at a time, at several entrances. Its products are ordered and changed by no other. */
export interface Caller extends Habits {
  model: Model;
  ask: Ask;
  data: Restaurant['data'];
  chance: Chance;
  number: number;
}

/** Does one act, drawn by chance. @throws {Error} where an answer is not one that the model allows. */
export async function act(caller: Caller): Promise<void> {
  const { chance, model, number, jobEvery = 0, planEvery = 0 } = caller;
  if (jobEvery > 0 && chance.between(1, jobEvery) === 1) return importProducts(caller);
  if (planEvery > 0 && chance.between(1, planEvery) === 1) return planPrice(caller);
  const { products } = model.offer;
  const own = products.filter(({ owner }) => owner === number);
  const roll = chance.between(1, 100);
  if (roll <= 55) {
    const shared = products.filter((product) => product.owner === undefined && !isScarce(product));
    return serve(caller, await order(caller, shared, { twice: chance.percent(25) }));
  }
  if (roll <= 62) return serve(caller, await order(caller, products.filter(isScarce)));
  if (roll <= 74) return serve(caller, await order(caller, own));
  if (roll <= 78 && model.orders.length > 0) return repeat(caller);
  if (roll <= 81) return revisit(caller);
  if (roll <= 84) return resync(caller, own);
  if (roll <= 88) return raceStock(caller, own);
  if (roll <= 90) return comeAndGo(caller);
  return change(caller, chance.pick(own));
}

/** Places an order; with `twice`, by two calls at once. Undefined where there was not enough stock, or its discounts were too large. */
async function order(
  { model, ask, chance, number, plain }: Caller,
  products: readonly Product[],
  { twice = false } = {},
): Promise<PlacedOrder | undefined> {
  const draft = drawOrder(model, chance, products, `${number}-${chance.between(0, 1e9)}`, plain);
  const short = isShort(draft);
  const answers = await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => post(ask, draft)));
  const accepted = answers.filter(({ status }) => status === 201);
  const [first] = accepted;
  if (contentsOfDraft(draft) === undefined) {
    if (answers.every(({ status, text }) => status === 422 && text.includes('discounts are more than')))
      return undefined;
    throw new Error(`${draft.key} has too large discounts: ${answers.map(({ text }) => text).join('\n')}`);
  }
  if (first === undefined || accepted.length < answers.length) {
    const refused = answers.every(
      ({ status, text }) => status === 422 && text.includes('insufficient stock'),
    );
    if (refused && (short || draft.lines.some(({ product }) => isScarce(product)))) return undefined;
    throw new Error(`${draft.key}: ${answers.map(({ text }) => text).join('\n')}`);
  }
  // Of what only this caller orders there is as much as the model has.
  if (short) throw new Error(`${draft.key} was accepted without stock`);
  const texts = new Set(accepted.map(({ text }) => text));
  const made = accepted.filter(({ replayed, again }) => !replayed && !again);
  if (texts.size > 1 || made.length > 1)
    throw new Error(`${draft.key} was made twice: ${[...texts].join('\n')}`);
  const { data } = JSON.parse(first.text) as { data: CreatedOrder & { total: number; status: string } };
  const order = model.place(draft, data, first.text, number);
  if (data.total !== json(order.cents) || data.status !== 'pending')
    throw new Error(`${draft.key} should total ${json(order.cents)}: ${first.text}`);
  return order;
}

const post = (ask: Ask, draft: Draft, key = draft.key) =>
  ask(`POST /${draft.version}/orders`, bodyOf(draft), key);

/** Whether a draft takes more of a product of its caller than there is. */
const isShort = (draft: Draft): boolean =>
  [...takenBy(draft)].some(
    ([from, milli]) => 'owner' in from && from.owner !== undefined && milli > (from.stock?.milli ?? 0n),
  );

// Long after: the same key answers as it did then; with another body, or the name of an order under another key, not.
async function repeat({ ask, chance, model }: Caller): Promise<void> {
  const { id, draft } = chance.pick(model.orders);
  // A product with too little stock is refused for that, before anything else; one that is changed costs another price.
  if (draft.lines.some(({ product }) => isScarce(product) || product.owner !== undefined)) return;
  const again = await post(ask, draft);
  if (!again.replayed || again.text !== model.answers.get(draft.key))
    throw new Error(`${draft.key} again: ${again.text}`);
  const reused = await post(ask, { ...draft, identifier: 'another' });
  if (reused.status !== 409) throw new Error(`${draft.key} with another body: ${reused.text}`);
  const taken = await post(ask, draft, `${draft.key} again ${chance.between(0, 1e9)}`);
  if (taken.status !== 409 || !taken.text.includes(id))
    throw new Error(`${draft.externalId} under another key: ${taken.text}`);
}

/** Changes a product of its own: name, price, rate of tax, stock. */
async function change({ ask, chance, model }: Caller, product: Product): Promise<void> {
  const roll = chance.between(1, 5);
  const patch = async (body: object, fields: Parameters<Model['change']>[1]) => {
    const { status, text } = await ask(`PATCH /v2/products/${product.id}`, body);
    if (status !== 200) throw new Error(`${product.externalId}: ${text}`);
    model.change(product, fields);
  };
  if (roll === 1) {
    const name = `New ${product.name}`.slice(0, 60);
    if (name !== product.name) await patch({ name }, { name });
  } else if (roll === 2) {
    const cents = product.cents + BigInt(chance.between(1, 9));
    await patch({ price: json(cents) }, { cents });
  } else if (roll === 5) {
    const taxRate = chance.pick(taxRates);
    if (taxRate !== product.taxRate) await patch({ tax_rate: json(taxRate, 4) }, { taxRate });
  } else {
    const milli = BigInt(chance.between(1, 30_000));
    const by = chance.pick(['product_id', 'external_id', 'sku'] as const);
    const names = { product_id: product.id, external_id: product.externalId, sku: product.sku };
    const before = product.stock?.milli ?? 0n;
    const item =
      roll === 3 ? { quantity: json(milli, 3) } : { adjust: json(milli, 3), expected: json(before, 3) };
    // What is unknown fails alone.
    const unknown = chance.percent(20) ? [{ external_id: 'an unknown item', quantity: 1 }] : [];
    const items = [{ [by]: names[by], ...item }, ...unknown];
    const { status, text } = await ask('POST /v2/stock/sync', { items });
    const { success_items, failed_items } = status === 200 ? JSON.parse(text).data : {};
    if (success_items !== 1 || failed_items !== unknown.length)
      throw new Error(`stock of ${product.externalId}: ${text}`);
    model.setStock(product, roll === 3 ? milli : before + milli);
  }
}

/** Names its products in a catalog sync, some of them changed. */
async function resync({ ask, chance, model }: Caller, own: readonly Product[]): Promise<void> {
  const changed = own.filter(() => chance.percent(60));
  const cents = new Map(changed.map((product) => [product, product.cents + BigInt(chance.between(1, 9))]));
  const firsts = [...new Set(own.flatMap(({ categories: [first] }) => first ?? []))];
  const categories = firsts.map(({ externalId, name }) => ({
    external_id: externalId,
    name,
    products: own
      .filter(({ categories: [first] }) => first?.externalId === externalId)
      .map((product) => ({
        external_id: product.externalId,
        name: product.name,
        price: json(cents.get(product) ?? product.cents),
      })),
  }));
  const { status, text } = await ask('POST /v2/catalog/sync', { categories });
  const total = firsts.length + own.length;
  const { version: _, ...counts } = status === 200 ? JSON.parse(text).data : {};
  const expected = { total_items: total, created: 0, updated: changed.length, deleted: 0 };
  if (JSON.stringify(counts) !== JSON.stringify({ ...expected, unchanged: total - changed.length }))
    throw new Error(`a catalog sync with ${changed.length} changes: ${text}`);
  for (const [product, amount] of cents) model.change(product, { cents: amount });
}

// Two syncs at once name the same products in opposite order. The quantities of one of them must be left on all.
async function raceStock({ ask, data, chance, model }: Caller, own: readonly Product[]): Promise<void> {
  const amounts = [1, 2].map((tenth) => BigInt(chance.between(1, 30) * 1_000 + tenth));
  const replies = await Promise.all(
    amounts.map((milli, index) => {
      const items = own.map(({ id }) => ({ product_id: id, quantity: json(milli, 3) }));
      return ask('POST /v2/stock/sync', { items: index === 0 ? items : items.reverse() });
    }),
  );
  for (const { status, text } of replies)
    if (status !== 200 || JSON.parse(text).data.success_items !== own.length)
      throw new Error(`a race for stock: ${text}`);
  const left = await data<{ quantity: number }>(`GET /v1/products/${own[0]?.id}/stock`);
  const last = amounts.findIndex((milli) => json(milli, 3) === left.quantity);
  for (const milli of [amounts[1 - last], amounts[last]])
    for (const product of own) if (milli !== undefined) model.setStock(product, milli);
}

/** Makes a product that no category lists, and takes it away again. */
async function comeAndGo({ ask, chance, model, number }: Caller): Promise<void> {
  const name = `off-menu-${number}-${chance.between(0, 1e9)}`;
  const made = await ask('POST /v2/products', { external_id: name, name, description: '', price: 3.33 });
  if (made.status !== 201) throw new Error(`${name}: ${made.text}`);
  const { id } = JSON.parse(made.text).data;
  model.note('product.created', id);
  const gone = await ask(`DELETE /v2/products/${id}`, {});
  if (gone.status !== 200) throw new Error(`${name}: ${gone.text}`);
  model.note('product.deleted', id);
}

/** Starts a job that brings products of its own. */
async function importProducts({ ask, chance, model, number, jobItems = [50, 400] }: Caller): Promise<void> {
  const name = `job-${number}-${chance.between(0, 1e9)}`;
  const items = Array.from({ length: chance.between(...jobItems) }, (_, index) => ({
    external_id: `${name}-${index}`,
    name: `${name}-${index}`,
    price: index / 100,
  }));
  const { status, text } = await ask('POST /v2/sync/products', { mode: 'create', items }, name);
  if (status !== 202) throw new Error(`${name}: ${text}`);
  model.jobs.push({ id: JSON.parse(text).data.job_id, name, count: items.length });
}
