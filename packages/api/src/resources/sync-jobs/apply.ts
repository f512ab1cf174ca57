import { type Database, newId, type Statement, type Transaction } from '@comanda/db';
import { repeatingRaces } from '../../races.ts';
import { type ChunkPlan, type CurrentProducts, type PlannedProduct, planChunk } from './rules.ts';
import type { ProductSyncItem } from './schema.ts';
import * as sql from './statements.ts';

/** Names a job. */
export interface SyncJobRef {
  locationId: string;
  jobId: string;
}

/** How many errors a job keeps; the counts stay exact. */
export const errorsKept = 100;

/** How many items one transaction applies: as many as a key may send unless it is given more. */
export const itemsPerChunk = 500;

/**
 * Applies what is left of a products sync job, chunk by chunk; each chunk commits together with the job's progress
 * under a lock on the job's row. So whoever continues after a kill, or applies beside another, applies each item
 * exactly once. Ends the job; a job that is over or gone is left alone. Stops between chunks when `signal` aborts,
 * by throwing its reason.
 */
export async function applyProductSync(
  database: Database,
  job: SyncJobRef,
  options: { chunkSize?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const [begun] = await database.run(sql.beginJob, [job.locationId, job.jobId]);
  // Filled only until the job ends.
  const items = begun?.items as ProductSyncItem[] | null | undefined;
  if (begun === undefined || items == null) return;
  const requestId = begun.request_id ?? undefined;
  let over = false;
  while (!over) {
    options.signal?.throwIfAborted();
    over = await repeatingRaces(() =>
      database.transaction(requestId, (tx) => applyChunk(tx, job, items, options.chunkSize ?? itemsPerChunk)),
    );
  }
}

/** Ends a job that cannot go on, with a sentence that says why. A job that is over is left alone. */
export async function failSyncJob(
  database: Database,
  { locationId, jobId }: SyncJobRef,
  error: string,
): Promise<void> {
  await database.run(sql.failJob, [locationId, jobId, error]);
}

/** Returns whether the job is over. */
async function applyChunk(
  tx: Transaction,
  { locationId, jobId }: SyncJobRef,
  items: readonly ProductSyncItem[],
  size: number,
): Promise<boolean> {
  const [state] = await tx.run(sql.lockJob, [locationId, jobId]);
  if (state?.status !== 'processing') return true;
  const chunk = items.slice(state.processed_items, state.processed_items + size);
  const current = await readCurrent(tx, locationId, chunk);
  const plan = planChunk(state.mode, chunk, state.processed_items, current, newId);
  await writePlan(tx, locationId, plan);
  const next = progress(state, chunk.length, plan);
  await tx.run(sql.recordProgress, [
    locationId,
    jobId,
    next.processed,
    next.succeeded,
    next.failed,
    JSON.stringify(plan.failures.slice(0, Math.max(0, errorsKept - state.failed_items))),
    next.status,
    next.error,
  ]);
  return next.status !== 'processing';
}

const noneApplied = 'None of the items could be applied; errors says why.';

function progress(state: sql.JobState, count: number, { failures }: ChunkPlan) {
  const processed = state.processed_items + count;
  const failed = state.failed_items + failures.length;
  const succeeded = processed - failed;
  if (processed < state.total_items)
    return { processed, failed, succeeded, status: 'processing', error: null };
  if (succeeded > 0) return { processed, failed, succeeded, status: 'completed', error: null };
  return { processed, failed, succeeded, status: 'failed', error: noneApplied };
}

async function readCurrent(
  tx: Transaction,
  locationId: string,
  items: readonly ProductSyncItem[],
): Promise<CurrentProducts> {
  const found = await tx.run(sql.lockProducts, [locationId, items.map((item) => item.external_id)]);
  const products = new Map(found.map(({ id, external_id, sku }) => [external_id, { id, sku }]));
  const moving = items.flatMap(({ external_id, sku }) =>
    sku === undefined || sku === products.get(external_id)?.sku ? [] : sku,
  );
  const owners = moving.length === 0 ? [] : await tx.run(sql.findSkuOwners, [locationId, moving]);
  const names = [...new Set(items.flatMap((item) => item.category_external_ids ?? []))];
  const categories = names.length === 0 ? [] : await tx.run(sql.lockCategories, [locationId, names]);
  return {
    products,
    skuOwners: new Map(owners.map(({ id, sku }) => [sku, id])),
    categories: new Map(categories.map(({ id, external_id }) => [external_id, id])),
  };
}

async function writePlan(
  tx: Transaction,
  locationId: string,
  { updates, creates }: ChunkPlan,
): Promise<void> {
  for (const round of updates) await tx.run(sql.updateProducts, [locationId, ...productColumns(round)]);
  if (creates.length > 0) await tx.run(sql.insertProducts, [locationId, ...productColumns(creates)]);
  const written = [...updates.flat(), ...creates];
  await writeLinks(tx, locationId, sql.removeLinks, updates.flat());
  await writeLinks(tx, locationId, sql.addLinks, written);
  const stock = written.flatMap(({ id, item }) => (item.stock ? { id, ...item.stock } : []));
  if (stock.length > 0) await tx.run(sql.setStock, [locationId, ...stockColumns(stock)]);
}

async function writeLinks(
  tx: Transaction,
  locationId: string,
  statement: Statement<unknown>,
  planned: readonly PlannedProduct[],
): Promise<void> {
  const links = planned.flatMap(({ id, categoryIds }) =>
    categoryIds === undefined ? [] : { product_id: id, category_ids: categoryIds },
  );
  if (links.length > 0) await tx.run(statement, [locationId, JSON.stringify(links)]);
}

const productColumns = (planned: readonly PlannedProduct[]) => [
  planned.map(({ id }) => id),
  planned.map(({ item }) => item.external_id),
  planned.map(({ item }) => item.sku),
  planned.map(({ item }) => item.name),
  planned.map(({ item }) => item.price),
  planned.map(({ item }) => item.visible),
  planned.map(({ item }) => item.description),
  planned.map(({ item }) => item.image_url),
];

const stockColumns = (stock: readonly ({ id: string } & NonNullable<ProductSyncItem['stock']>)[]) => [
  stock.map(({ id }) => id),
  stock.map(({ enabled }) => enabled),
  stock.map(({ quantity }) => quantity),
  stock.map(({ min_stock_alarm }) => min_stock_alarm),
];
