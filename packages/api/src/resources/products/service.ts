import { isId, isState, newId, type Queryable, type Transaction } from '@comanda/db';
import { type Answer, answerPage } from '../../call/answer.ts';
import type { CallContext, JoinedCall } from '../../call/context.ts';
import { writeInSlot } from '../../call/joined-calls.ts';
import { repeatingDeadlocks } from '../../call/races.ts';
import { makerOf } from '../../call/request-id.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inStatement } from '../../call/writing.ts';
import { rowsById } from '../../capacity/joined-reads.ts';
import { conflict, invalid, notFound, takenUntilNow } from '../../errors.ts';
import type { Deleted } from '../../wire.ts';
import { removeOne } from '../bulk/service.ts';
import { type ChangesPage, wantsDeleted } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { settledQuantity } from '../stock/rules.ts';
import type { Stock, StockEdit, StockInput } from '../stock/schema.ts';
import { freshFields, referenceColumns } from './fields.schema.ts';
import type { Product, ProductCreate, ProductList, ProductRead, ProductUpdate } from './schema.ts';
import {
  findTaken,
  holdCategoriesOf,
  listProducts,
  type ProductText,
  productChanges,
  readProductByExternalId,
  readProducts,
  readStock,
  type Shown,
  writeProduct,
} from './statements.ts';
import { type ProductChange, updating } from './updating.store.ts';

/** Lists products by name, id. A filter that matches nothing, malformed ids included, returns an empty list. */
export async function list(ctx: CallContext, input: ProductList): Promise<Answer<ChangesPage<ProductRead>>> {
  const { limit, offset, updated_since: _since, cursor: _cursor, include, ...filters } = input;
  for (const name of ['category_id', ...referenceColumns] as const) {
    const id = filters[name];
    if (id !== undefined && !isId(id)) filters[name] = noId;
  }
  const shown = shownOf(include);
  if (readsChanges(input))
    return readChanges(ctx, input, productChanges(filters, wantsDeleted(input), shown));
  const { atOnce, byOne, values } = listProducts(ctx.caller.locationId, { limit, offset }, filters, shown);
  if (atOnce !== undefined) {
    const [page] = await ctx.app.database.run(atOnce, values);
    if (page !== undefined && page.data !== null) return answerPage({ ...page, data: page.data }, input);
  }
  const [page] = await ctx.app.database.run(byOne(), values);
  return answerPage(page, input);
}

/** An id that nothing has. */
const noId = '00000000-0000-0000-0000-000000000000';

type Include = readonly string[] | undefined;

const shownOf = (include: Include): Shown => (include?.includes('tax') ? 'tax' : 'plain');

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: JoinedCall, id: string, include?: Include): Promise<Answer<ProductRead>> {
  if (!isId(id)) throw notFound('Product');
  return found(
    await ctx.app.capacity.joinedReads.read(rows[shownOf(include)], {
      location_id: ctx.caller.locationId,
      id,
    }),
  );
}

const rows = {
  plain: rowsById(readProducts.plain),
  tax: rowsById(readProducts.tax),
} as const satisfies Record<Shown, unknown>;

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(
  ctx: CallContext,
  externalId: string,
  include?: Include,
): Promise<Answer<ProductRead>> {
  const values = [ctx.caller.locationId, externalId];
  const [product] = await ctx.app.database.run(readProductByExternalId[shownOf(include)], values);
  return found(product);
}

/** Reads the stock of one. Throws `resource_not_found`, also for a product without a stock record. */
export async function getStock(ctx: CallContext, id: string): Promise<Answer<Stock>> {
  const [stock] = isId(id) ? await ctx.app.database.run(readStock, [ctx.caller.locationId, id]) : [];
  if (stock === undefined) throw notFound('Product stock');
  return { value: stock };
}

/** Creates one. Throws `validation_error` for an unknown category, `conflict` when `external_id` or `sku` is taken. */
export function create(ctx: CallContext, input: ProductCreate): Promise<Answer<Product>> {
  const id = newId();
  const { category_ids: _categories, stock: _stock, external_id = null, ...given } = input;
  return write(ctx, id, true, { external_id, ...freshFields, sku: id, ...given }, input);
}

/**
 * Changes the fields that are present; calls that arrive at once share a transaction, unless they change categories, `external_id` or
 * `sku`. Throws `validation_error` for an unknown category, `resource_not_found`, `conflict` when `external_id` or `sku` is taken, or when
 * another quantity than expected is there.
 */
export async function update(ctx: JoinedCall, input: ProductUpdate): Promise<Answer<Product>> {
  const { id: given, category_ids, stock, stock_change, ...fields } = input;
  if (fields.description === null) fields.description = '';
  if (fields.image_url === null) fields.image_url = '';
  const id = isId(given) ? given : noId;
  const { caller, idempotency, precondition } = ctx;
  const needsMore = [category_ids, fields.external_id, fields.sku, idempotency, precondition];
  if (needsMore.some((needed) => needed !== undefined))
    return writeInSlot(ctx, (call) => write(call, id, false, fields, input));
  const edit = stock ?? stock_change;
  const change: ProductChange = {
    id,
    origin: makerOf(ctx),
    fields: jsonOf(fields),
    stock: edit === undefined ? null : JSON.stringify(edit),
  };
  const updated = await repeatingDeadlocks(() =>
    ctx.app.capacity.joinedWrites.write(updating, caller.locationId, change),
  );
  if (updated?.there != null) throw unexpected(stock_change, updated.there);
  if (updated === undefined || updated.doc === null) throw notFound('Product');
  return { text: updated.doc, etag: tagOfRow(id, updated.revision) };
}

/** Null where none is given. */
function jsonOf(fields: Record<string, unknown>): string | null {
  const text = JSON.stringify(fields);
  return text === '{}' ? null : text;
}

/** Deletes one; its `external_id` and `sku` are free again, orders keep naming it. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  if (!isId(id)) throw notFound('Product');
  return removeOne(ctx, 'products', id);
}

function found(product: ProductText | undefined): Answer<ProductRead> {
  if (product === undefined) throw notFound('Product');
  return { text: product.doc, etag: tagOfRow(product.id, product.revision) };
}

interface Links {
  category_ids?: string[] | undefined;
  stock?: StockInput | undefined;
  stock_change?: StockEdit | undefined;
}

/** The refusal of a change of stock, where `there` is another quantity than it expects. */
function unexpected(change: StockEdit | undefined, there: string): Error {
  const refusal = settledQuantity(change ?? {}, { quantity: Number(there) });
  if ('message' in refusal) return conflict(refusal.reason, refusal.message);
  return new Error(`a change of stock that expects ${there} was refused`);
}

/** Writes the fields, and categories and stock where they are given. */
async function write(
  ctx: CallContext,
  id: string,
  isNew: boolean,
  fields: Pick<ProductUpdate, 'external_id' | 'sku'> & Record<string, unknown>,
  { category_ids, stock, stock_change }: Links,
): Promise<Answer<Product>> {
  const given = jsonOf(fields);
  const edit = stock ?? stock_change;
  // An id of another form names nothing.
  const categories = category_ids?.map((category) => (isId(category) ? category : noId)) ?? null;
  const values = [
    ctx.caller.locationId,
    id,
    isNew,
    given,
    categories,
    edit === undefined ? null : JSON.stringify(edit),
    makerOf(ctx),
  ];
  const write = async (on: Queryable): Promise<Answer<Product>> => {
    const [written] = await on.run(writeProduct, values);
    if (written === undefined) throw notFound('Product');
    if (written.there !== null) throw unexpected(stock_change, written.there);
    if (written.doc !== null) return { text: written.doc, etag: tagOfRow(id, written.revision) };
    const known = new Set(written.known);
    throw invalid(
      (category_ids ?? []).flatMap((category, index) =>
        known.has(category)
          ? []
          : [
              {
                path: `category_ids[${index}]`,
                message: 'unknown category',
                reason: 'unknown_category' as const,
              },
            ],
      ),
    );
  };
  const holdCategories = (tx: Transaction) => tx.run(holdCategoriesOf, [ctx.caller.locationId, categories]);
  return refusingTaken(ctx, id, fields, () =>
    inStatement(ctx, write, categories === null ? undefined : holdCategories),
  );
}

async function refusingTaken<T>(
  ctx: CallContext,
  id: string,
  { external_id, sku }: { external_id?: string | null | undefined; sku?: string | undefined },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await repeatingDeadlocks(write);
  } catch (error) {
    if (!isState(error, 'taken')) throw error;
    const values = [ctx.caller.locationId, id, external_id ?? null, sku ?? null];
    const [other] = await ctx.app.database.run(findTaken, values);
    if (other === undefined) throw takenUntilNow('external_id or sku', error);
    const { id: otherId, field } = other;
    const [reason, taken] =
      field === 'external_id'
        ? (['external_id_taken', `external_id ${external_id}`] as const)
        : (['sku_taken', `sku ${sku}`] as const);
    throw conflict(reason, `${taken} is taken by product ${otherId}.`, {
      collection: 'products',
      id: otherId,
    });
  }
}
