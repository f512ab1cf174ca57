import { newId } from '@comanda/db';
import { refuseLargeBatch } from '../../batch.ts';
import type { CallContext } from '../../context.ts';
import { findAnswer, idempotencyOf } from '../../idempotency.ts';
import type { FieldChange } from '../stock/changes.schema.ts';
import { type CurrentProduct, readForPreview } from './preview.statements.ts';
import { planChunk } from './rules.ts';
import type { ProductSync, ProductSyncChange, ProductSyncItem, StartedSyncJob } from './schema.ts';

/**
 * Says what a batch of products would come to if it were applied now: by the same decisions, without a job, a lock
 * or a change. Counts no batch job and leaves the idempotency key unused. Throws `conflict` for a key that was used
 * for something else, `validation_error` for more items than the key may send.
 */
export async function previewProducts(
  ctx: CallContext,
  { mode, items }: Pick<ProductSync, 'mode' | 'items'>,
): Promise<StartedSyncJob> {
  // What writes finds its key by itself; this writes nothing.
  await findAnswer(ctx.app.database, ctx, idempotencyOf(ctx));
  refuseLargeBatch(ctx, items.length);
  const [found] = await ctx.app.database.run(readForPreview, [
    ctx.caller.locationId,
    items.map(({ external_id }) => external_id),
    items.flatMap(({ sku }) => sku ?? []),
    [...new Set(items.flatMap(({ category_external_ids = [] }) => category_external_ids))],
  ]);
  const { products = [], sku_owners = [], categories = [] } = found ?? {};
  const current = new Map(products.map((product) => [product.external_id, product]));
  const plan = planChunk(
    mode,
    items,
    0,
    {
      products: current,
      skuOwners: new Map(sku_owners.map(({ id, sku }) => [sku, id])),
      categories: new Map(categories.map(({ id, external_id }) => [external_id, id])),
    },
    newId,
  );
  const failed = new Set(plan.failures.map(({ index }) => index));
  const changes = items.flatMap((item, index) =>
    failed.has(index) ? [] : { index, ...changeOf(item, current.get(item.external_id)) },
  );
  return {
    job_id: '',
    status: changes.length > 0 ? 'completed' : 'failed',
    total_items: items.length,
    dry_run: true,
    success_items: changes.length,
    failed_items: plan.failures.length,
    errors: plan.failures,
    changes,
  };
}

type Fields = Record<string, FieldChange['after']>;

function changeOf(
  item: ProductSyncItem,
  product: CurrentProduct | undefined,
): Omit<ProductSyncChange, 'index'> {
  const { external_id } = item;
  const after = fieldsOf(item);
  if (product === undefined) {
    const values = { visible: true, description: '', image_url: '', ...after };
    const changes = inOrder(values).map(([field, value]) => ({ field, after: value }));
    return { external_id, action: 'created', changes };
  }
  const before = fieldsNow(product);
  const changes = inOrder(after).flatMap(([field, value]): FieldChange[] => {
    const then = before[field];
    if (JSON.stringify(then) === JSON.stringify(value)) return [];
    return [{ field, ...(then !== undefined && { before: then }), after: value }];
  });
  return { external_id, id: product.id, action: changes.length > 0 ? 'updated' : 'unchanged', changes };
}

/** What an item sets; what it leaves out is not there. */
function fieldsOf({
  external_id: _,
  category_external_ids: names,
  stock,
  ...fields
}: ProductSyncItem): Fields {
  return withoutUndefined({
    ...fields,
    ...(names && { category_external_ids: [...new Set(names)].sort() }),
    ...stockFields(stock),
  });
}

/** A category without an identifier of the caller's is named by its id: a batch that sets the links takes it off. */
function fieldsNow({ id: _id, external_id: _own, categories, stock, ...fields }: CurrentProduct): Fields {
  return {
    ...fields,
    category_external_ids: categories.map(({ id, external_id }) => external_id ?? id).sort(),
    ...stockFields(stock ?? undefined),
  };
}

function stockFields(stock: CurrentProduct['stock'] | undefined): Fields {
  return Object.fromEntries(Object.entries(stock ?? {}).map(([name, value]) => [`stock.${name}`, value]));
}

function withoutUndefined(fields: Record<string, FieldChange['after'] | undefined>): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Fields;
}

// A body's members come in any order; the answer's do not.
const inOrder = (fields: Fields) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
