import { addJob, isId, newId, priceChangeKey, type Queryable } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import { refuseLargeBatch } from '../../call/batch.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, notFound } from '../../errors.ts';
import { refusedReferences } from '../../unknown-references.ts';
import type { Page } from '../../wire.ts';
import { findNamed, nameOf, refuseRepeated } from '../bulk/named-products.rules.ts';
import { productsNamed, readCurrent, reading } from '../bulk/reads.statements.ts';
import { readPrices } from '../categories/prices.statements.ts';
import type { ListedPriceChange, PlannedPriceChange, PriceChangeCreate, PriceChangeList } from './schema.ts';
import * as sql from './statements.ts';

type Planned = Pick<PlannedPriceChange['prices'][number], 'product_id' | 'before' | 'price'>;

/**
 * Plans prices; a worker applies them. The job that does so commits with the plan. Throws `validation_error` for more prices than the key
 * may send, for a product that is named twice, and with the reason `unknown_reference` for a product or category that does not exist.
 */
export function create(ctx: CallContext, input: PriceChangeCreate): Promise<Answer<PlannedPriceChange>> {
  const { effective_at, prices, category_id, percent } = input;
  const { locationId, apiKeyId } = ctx.caller;
  if (prices !== undefined) refuseLargeBatch(ctx, prices.length, 'prices');
  return inTransaction(ctx, async (tx) => {
    const planned =
      prices === undefined
        ? await pricesOfCategory(tx, locationId, category_id ?? '')
        : await pricesOfProducts(tx, locationId, prices);
    const id = newId();
    const entries = planned.map((each) => ({ ...each, status: 'planned' }));
    const values = [
      locationId,
      id,
      effective_at,
      category_id ?? null,
      percent ?? null,
      JSON.stringify(entries),
      entries.length,
      ctx.requestId,
      apiKeyId,
    ];
    const [made] = await tx.run(sql.insertPriceChange, values);
    if (made === undefined) throw new Error('the price change was not inserted');
    await addJob(
      tx,
      'apply-price-change',
      { locationId, priceChangeId: id },
      { jobKey: priceChangeKey(id), runAt: new Date(effective_at) },
    );
    const after = { effective_at, category_id, percent, prices: entries.length };
    audit(tx, ctx, 'priceChanges.create', id, { before: null, after });
    return { text: made.doc };
  });
}

/** Lists price changes, newest first. */
export const list = (ctx: CallContext, paging: PriceChangeList): Promise<Answer<Page<ListedPriceChange>>> =>
  readPage(ctx, sql.listPriceChanges, paging);

/** Reads one with its prices. Throws `resource_not_found`. */
export const get = async (ctx: CallContext, id: string): Promise<Answer<PlannedPriceChange>> => ({
  text: await read(ctx.app.database, ctx, id),
});

/**
 * Cancels one that is planned; one that is canceled stays as it is. Throws `resource_not_found`, `conflict` for one that was applied or
 * skipped.
 */
export function cancel(ctx: CallContext, id: string): Promise<Answer<PlannedPriceChange>> {
  return inTransaction(ctx, async (tx) => {
    const [canceled] = isId(id) ? await tx.run(sql.cancelPriceChange, [ctx.caller.locationId, id]) : [];
    if (canceled !== undefined) {
      audit(tx, ctx, 'priceChanges.cancel', id, {
        before: { status: 'planned' },
        after: { status: 'canceled' },
      });
      return { text: canceled.doc };
    }
    const text = await read(tx, ctx, id);
    const { status } = JSON.parse(text) as PlannedPriceChange;
    if (status !== 'canceled')
      throw conflict('price_change_ended', `Only a planned price change is canceled; this one is ${status}.`);
    return { text };
  });
}

async function read(on: Queryable, { caller }: CallContext, id: string): Promise<string> {
  const [found] = isId(id) ? await on.run(sql.readPriceChange, [caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Price change');
  return found.doc;
}

async function pricesOfProducts(
  on: Queryable,
  locationId: string,
  prices: NonNullable<PriceChangeCreate['prices']>,
): Promise<Planned[]> {
  const { products } = await readCurrent(on, locationId, reading, { products: productsNamed(prices) });
  const found = findNamed(prices, products);
  const unknown = prices.flatMap((item, index) => {
    const name = nameOf(item);
    if (found[index] !== undefined) return [];
    return { path: `prices[${index}].${name}`, table: 'products', id: item[name] ?? '' };
  });
  if (unknown.length > 0) throw refusedReferences(unknown);
  refuseRepeated('prices', prices, found);
  return prices.flatMap(({ price }, index) => {
    const product = found[index];
    return product === undefined ? [] : { product_id: product.id, before: product.price, price };
  });
}

async function pricesOfCategory(on: Queryable, locationId: string, categoryId: string): Promise<Planned[]> {
  const rows = isId(categoryId) ? await on.run(readPrices, [locationId, categoryId]) : [];
  if (rows.length === 0)
    throw refusedReferences([{ path: 'category_id', table: 'categories', id: categoryId }]);
  return rows.flatMap(({ id, price }) =>
    id === null || price === null ? [] : { product_id: id, before: price },
  );
}
