import { newId, type Transaction } from '@comanda/db';
import { refuseLargeBatch, startBatch } from '../../batch.ts';
import type { CallContext } from '../../context.ts';
import { repeatingRaces } from '../../races.ts';
import { currentVersion } from './service.ts';
import type { CatalogWrites, CurrentCatalog, Written } from './sync.rows.ts';
import { type CatalogPlan, planCatalog } from './sync.rules.ts';
import type { CatalogSync, CatalogSyncMode, CatalogSyncResult } from './sync.schema.ts';
import * as sql from './sync.statements.ts';
import { type NamedTree, readTree } from './sync.tree.ts';

/**
 * Sets the catalog to what is named, in one transaction; a dry run answers what that would change. Throws
 * `validation_error` for a tree that contradicts itself or has more categories and products than the key may send,
 * `conflict` for a sku that another product keeps, `rate_limited` when the hour's batch jobs are used up.
 */
export async function sync(ctx: CallContext, input: CatalogSync): Promise<CatalogSyncResult> {
  const { categories, mode, dry_run } = input;
  const tree = readTree(categories);
  const size = tree.categories.length + tree.products.length;
  refuseLargeBatch(ctx, size, 'categories');
  // Once without locks: what is refused, only asked for or all there already holds up nobody.
  const foreseen = await foresee(ctx, tree, mode);
  if (dry_run) return { ...(await answer(ctx, foreseen)), dry_run: true, changes: foreseen.changes };
  await startBatch(ctx, size, 'categories');
  if (foreseen.changes.every(({ action }) => action === 'unchanged')) return answer(ctx, foreseen);
  const applied = await repeatingRaces(() =>
    ctx.app.database.transaction(ctx.requestId, async (tx) => {
      await tx.run(sql.lockCatalog, [ctx.caller.locationId]);
      const plan = await planFrom(tx, ctx, sql.locking, tree, mode);
      await write(tx, ctx.caller.locationId, plan.writes);
      return plan;
    }),
  );
  return answer(ctx, applied);
}

async function answer(ctx: CallContext, { changes }: CatalogPlan): Promise<CatalogSyncResult> {
  const counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
  for (const { action } of changes) counts[action] += 1;
  return { version: await currentVersion(ctx), total_items: changes.length - counts.deleted, ...counts };
}

// All reads in one snapshot.
function foresee(ctx: CallContext, tree: NamedTree, mode: CatalogSyncMode): Promise<CatalogPlan> {
  return ctx.app.database.transaction(undefined, async (tx) => {
    await tx.run(sql.beginSnapshot, []);
    return planFrom(tx, ctx, sql.reading, tree, mode);
  });
}

async function planFrom(
  tx: Transaction,
  ctx: CallContext,
  reads: sql.CatalogReads,
  tree: NamedTree,
  mode: CatalogSyncMode,
): Promise<CatalogPlan> {
  return planCatalog(tree, mode, await readCurrent(tx, ctx.caller.locationId, reads, tree, mode), newId);
}

async function readCurrent(
  tx: Transaction,
  locationId: string,
  reads: sql.CatalogReads,
  tree: NamedTree,
  mode: CatalogSyncMode,
): Promise<CurrentCatalog> {
  const all = mode === 'replace';
  const categoryNames = tree.categories.map(({ external_id }) => external_id);
  const productNames = tree.products.map(({ product }) => product.external_id);
  const skus = tree.products.flatMap(({ product }) => product.sku ?? []);
  const categories = await tx.run(reads.categories, [locationId, categoryNames, all]);
  const products = await tx.run(reads.products, [locationId, productNames, all]);
  const of = [locationId, products.map(({ id }) => id)];
  return {
    categories,
    products,
    stock: await tx.run(reads.stock, of),
    links: await tx.run(reads.links, of),
    subselections: await tx.run(reads.subselections, of),
    items: await tx.run(reads.items, of),
    skuOwners: await tx.run(reads.skuOwners, [locationId, skus]),
  };
}

async function write(tx: Transaction, locationId: string, writes: CatalogWrites): Promise<void> {
  const run = async (statement: sql.TableWrites['put'], rows: readonly unknown[]) => {
    if (rows.length > 0) await tx.run(statement, [locationId, JSON.stringify(rows)]);
  };
  const remove = async ({ remove: statement }: sql.TableWrites, ids: readonly string[]) => {
    if (ids.length > 0) await tx.run(statement, [locationId, ids]);
  };
  const put = async (table: sql.TableWrites, { created, updated }: Written<unknown>) => {
    await run(table.put, updated);
    await run(table.put, created);
  };
  await remove(sql.items, writes.removed.items);
  await remove(sql.subselections, writes.removed.subselections);
  await run(sql.removeLinks, writes.removedLinks);
  await remove(sql.products, writes.removed.products);
  await remove(sql.categories, writes.removed.categories);
  if (writes.releasedSkus.length > 0) await tx.run(sql.releaseSkus, [locationId, writes.releasedSkus]);
  await put(sql.categories, writes.categories);
  await put(sql.products, writes.products);
  await run(sql.addLinks, writes.addedLinks);
  await put(sql.stock, writes.stock);
  await put(sql.subselections, writes.subselections);
  await put(sql.items, writes.items);
}
