import { isId, newId, type PrismaTransaction, sqlState } from '@comanda/db';
import { readChanges, readsChanges } from '../../changes/read.ts';
import type { CallContext } from '../../context.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { answerText } from '../../idempotency.ts';
import { rowReader } from '../../joined-reads.ts';
import { repeatingDeadlocks } from '../../races.ts';
import type { ChangesPage } from '../../wire/changes.ts';
import { removeOne } from '../bulk/engine.ts';
import type { Stock, StockInput } from '../stock/schema.ts';
import { productChanges } from './changes.statements.ts';
import type { Product, ProductCreate, ProductList, ProductUpdate } from './schema.ts';
import { listProducts, type ProductText, readProductByExternalId, readProducts } from './statements.ts';

/** Lists products by name, id. A filter that nothing passes, malformed ids included, answers an empty list. */
export async function list(ctx: CallContext, input: ProductList): Promise<ChangesPage<Product>> {
  const { limit, offset, updated_since: _since, cursor: _cursor, ...filters } = input;
  if (filters.category_id !== undefined && !isId(filters.category_id)) filters.category_id = noId;
  if (readsChanges(input)) return readChanges(ctx, input, productChanges(filters));
  const { statement, values } = listProducts(ctx.caller.locationId, { limit, offset }, filters);
  const [page] = await ctx.reads.run(statement, values);
  const { data, total } = page ?? { data: '[]', total: 0 };
  return answerText(ctx, `{"data":${data},"pagination":${JSON.stringify({ limit, offset, total })}}`);
}

/** An id that nothing has. */
const noId = '00000000-0000-0000-0000-000000000000';

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Product> {
  if (!isId(id)) throw notFound('Product');
  return answer(ctx, await readById(ctx.app.database, ctx.caller.locationId, id));
}

const readById = rowReader(readProducts);

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(ctx: CallContext, externalId: string): Promise<Product> {
  const values = [ctx.caller.locationId, externalId];
  const [found] = await ctx.app.database.run(readProductByExternalId, values);
  return answer(ctx, found);
}

/** Reads the stock of one. Throws `resource_not_found`, also for a product without a stock record. */
export async function getStock(ctx: CallContext, id: string): Promise<Stock> {
  const found = isId(id)
    ? await ctx.app.database.prisma.productStock.findUnique({
        where: { locationId_productId: { locationId: ctx.caller.locationId, productId: id } },
      })
    : null;
  if (found === null) throw notFound('Product stock');
  const { enabled, quantity, minStockAlarm } = found;
  return { enabled, quantity: quantity.toNumber(), min_stock_alarm: minStockAlarm.toNumber() };
}

/** Creates one. Throws `validation_error` for an unknown category, `conflict` when `external_id` or `sku` is taken. */
export async function create(ctx: CallContext, input: ProductCreate): Promise<Product> {
  const id = newId();
  const { locationId } = ctx.caller;
  return refusingTaken(ctx, id, input, () =>
    ctx.app.database.prismaTransaction(ctx.requestId, async (tx) => {
      const categoryIds = await knownCategories(tx, ctx, input.category_ids ?? []);
      await tx.product.create({
        data: {
          locationId,
          id,
          externalId: input.external_id ?? null,
          sku: input.sku ?? id,
          name: input.name,
          description: input.description,
          price: decimal(input.price),
          visible: input.visible ?? true,
          imageUrl: input.image_url ?? '',
        },
      });
      if (input.stock !== undefined) await setStock(tx, ctx, id, input.stock);
      await setCategories(tx, ctx, id, categoryIds);
      return readWritten(tx, ctx, id);
    }),
  );
}

/**
 * Changes the fields that are present. Throws `validation_error` for an unknown category, `resource_not_found`,
 * `conflict` when `external_id` or `sku` is taken.
 */
export async function update(ctx: CallContext, input: ProductUpdate): Promise<Product> {
  const { id, external_id, sku, name, description, price, visible, image_url, category_ids, stock } = input;
  return refusingTaken(ctx, id, input, () =>
    ctx.app.database.prismaTransaction(ctx.requestId, async (tx) => {
      const categoryIds = category_ids && (await knownCategories(tx, ctx, category_ids));
      await lock(tx, ctx, id);
      const columns = {
        ...(external_id !== undefined && { externalId: external_id }),
        ...(sku !== undefined && { sku }),
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description: description ?? '' }),
        ...(price !== undefined && { price: decimal(price) }),
        ...(visible !== undefined && { visible }),
        ...(image_url !== undefined && { imageUrl: image_url ?? '' }),
      };
      if (Object.keys(columns).length > 0)
        await tx.product.updateMany({ where: key(ctx, id), data: columns });
      if (stock !== undefined) await setStock(tx, ctx, id, stock);
      if (categoryIds !== undefined) await setCategories(tx, ctx, id, categoryIds);
      return readWritten(tx, ctx, id);
    }),
  );
}

/** Deletes one; its `external_id` and `sku` are free again, orders keep naming it. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<{ id: string; deleted: true }> {
  if (!isId(id)) throw notFound('Product');
  if (!(await removeOne(ctx, 'products', id))) throw notFound('Product');
  return { id, deleted: true };
}

// Prisma sends a number with all the digits of its binary fraction, a text as it is.
const decimal = String;

const key = (ctx: CallContext, id: string) => ({ locationId: ctx.caller.locationId, id });

function answer(ctx: CallContext, found: ProductText | undefined): Product {
  if (found === undefined) throw notFound('Product');
  return answerText(ctx, found.doc);
}

async function readWritten(tx: PrismaTransaction, ctx: CallContext, id: string): Promise<Product> {
  const [written] = await tx.$queryRaw<{ doc: Product }[]>`
    select doc::json as doc from products_json(${ctx.caller.locationId}::uuid, array[${id}::uuid])`;
  if (written === undefined) throw notFound('Product');
  return written.doc;
}

// Before the links and the stock, so that a deletion meanwhile waits, and two changes never interleave.
async function lock(tx: PrismaTransaction, ctx: CallContext, id: string): Promise<void> {
  const found = isId(id)
    ? await tx.$queryRaw<unknown[]>`
        select 1 from products where location_id = ${ctx.caller.locationId}::uuid and id = ${id}::uuid
        for no key update`
    : [];
  if (found.length === 0) throw notFound('Product');
}

// Locked against deletion, so that the links below always find them.
async function knownCategories(
  tx: PrismaTransaction,
  ctx: CallContext,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const asked = [...new Set(ids)];
  const found = await tx.$queryRaw<{ id: string }[]>`
    select c.id from (select * from unnest(${asked.filter(isId)}::uuid[]) as v (id) order by 1) v cross join lateral (
      select id from categories where location_id = ${ctx.caller.locationId}::uuid and id = v.id for key share) c`;
  const known = new Set(found.map(({ id }) => id));
  const faults = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `category_ids[${index}]`, message: 'unknown category' }],
  );
  if (faults.length > 0) throw invalid(...faults);
  return asked;
}

async function setCategories(
  tx: PrismaTransaction,
  ctx: CallContext,
  productId: string,
  categoryIds: readonly string[],
): Promise<void> {
  const { locationId } = ctx.caller;
  await tx.productCategory.deleteMany({
    where: { locationId, productId, categoryId: { notIn: [...categoryIds] } },
  });
  await tx.productCategory.createMany({
    data: categoryIds.map((categoryId) => ({ locationId, productId, categoryId })),
    skipDuplicates: true,
  });
}

async function setStock(
  tx: PrismaTransaction,
  ctx: CallContext,
  productId: string,
  { enabled, quantity, min_stock_alarm }: StockInput,
): Promise<void> {
  const owner = { locationId: ctx.caller.locationId, productId };
  const values = { enabled, quantity, minStockAlarm: min_stock_alarm };
  await tx.productStock.upsert({
    where: { locationId_productId: owner },
    create: { ...owner, ...values },
    update: values,
  });
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
    if (sqlState(error)?.code !== '23505') throw error;
    const other = await ctx.app.database.prisma.product.findFirst({
      where: {
        locationId: ctx.caller.locationId,
        ...(isId(id) && { id: { not: id } }),
        OR: [
          ...(external_id == null ? [] : [{ externalId: external_id }]),
          ...(sku === undefined ? [] : [{ sku }]),
        ],
      },
    });
    if (other === null) throw conflict('external_id or sku is taken by another product.');
    const taken = other.externalId === external_id ? `external_id ${external_id}` : `sku ${sku}`;
    throw conflict(`${taken} is taken by product ${other.id}.`);
  }
}
