import { type Database, newId, type Queryable, type Transaction } from '@comanda/db';
import { repeatingRaces } from '../../call/races.ts';
import { referencesIn } from '../../references.ts';
import { apply, type Batch } from '../bulk/store.ts';
import { type ProductsPlan, planProducts } from './rules.ts';
import { ProductSyncItem, type SyncMode } from './schema.ts';
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

/** How a job is applied. */
export interface ApplyOptions {
  chunkSize?: number;
  /** Stops it between two chunks, by throwing its reason. */
  signal?: AbortSignal;
}

/**
 * Begins the next sync job of a location for a job of the queue; nothing when none is due, or one is under way. A job
 * begun by another job of the queue is taken over once that is not locked any more.
 */
export const beginSyncJob = (
  database: Database,
  locationId: string,
  queueJob: string,
): Promise<sql.BegunJob | undefined> =>
  database.transaction({ statement: sql.lockBeginning, values: [locationId] }, async (tx) => {
    const [begun] = await tx.run(sql.beginJob, [locationId, queueJob]);
    return begun;
  });

/**
 * Applies the rest of a products sync job that was begun, chunk by chunk; each chunk commits together with the job's
 * progress under a lock on the job's row. So a process that continues after a kill, or applies at the same time,
 * applies each item exactly once. Ends the job and returns its status then; a job that has ended or was deleted is
 * left alone.
 */
export async function applySyncJob(
  database: Database,
  locationId: string,
  { id: jobId, items }: Pick<sql.BegunJob, 'id' | 'items'>,
  { chunkSize = itemsPerChunk, signal }: ApplyOptions = {},
): Promise<sql.JobState | undefined> {
  for (;;) {
    signal?.throwIfAborted();
    const state = await repeatingRaces(() =>
      // The statement that locks the job also sets the id of its request.
      database.transaction({ statement: sql.lockJob, values: [locationId, jobId] }, (tx, [state]) =>
        applyChunk(tx, { locationId, jobId }, state, items as ProductSyncItem[], chunkSize),
      ),
    );
    if (state?.status !== 'processing') return state;
  }
}

/** Has a job that met a fault tried again later, the later the oftener it was tried; others of the location go before it. */
export async function postponeSyncJob(on: Queryable, { locationId, jobId }: SyncJobRef): Promise<void> {
  await on.run(sql.postponeJob, [locationId, jobId]);
}

/** Ends a job that cannot go on, for an internal fault, and returns its status. One that has ended is left alone. */
export async function failSyncJob(
  on: Queryable,
  { locationId, jobId }: SyncJobRef,
): Promise<sql.JobState | undefined> {
  const [failed] = await on.run(sql.failJob, [locationId, jobId, stoppedByUs]);
  return failed;
}

const stoppedByUs = 'The job was stopped by a fault on our side; what was applied stays applied.';

/** Some items of a job, or all of them: the rows that they name, and their outcomes. */
export function productsBatch(
  mode: SyncMode,
  items: readonly ProductSyncItem[],
  firstIndex = 0,
): Batch<ProductsPlan> {
  const categories = [...new Set(items.flatMap(({ category_external_ids: names = [] }) => names))];
  return {
    asked: {
      references: items.flatMap((item) => referencesIn(ProductSyncItem, item)),
      categories: { externalIds: categories },
      products: {
        externalIds: items.map(({ external_id }) => external_id),
        skus: items.flatMap(({ sku }) => sku ?? []),
      },
      // A renamed product has its stock locked, too: a sku that is handed on is written twice.
      stock: items.some(({ stock, sku }) => stock !== undefined || sku !== undefined),
      links: items.some(({ category_external_ids: names }) => names !== undefined),
    },
    plan: (current) => planProducts(mode, items, firstIndex, current, newId),
  };
}

/** Returns the status of the job then; nothing when it was deleted. */
async function applyChunk(
  tx: Transaction,
  { locationId, jobId }: SyncJobRef,
  state: sql.JobState | undefined,
  items: readonly ProductSyncItem[],
  size: number,
): Promise<sql.JobState | undefined> {
  if (state?.status !== 'processing') return state;
  const { processed_items: first, failed_items, mode } = state;
  const chunk = items.slice(first, first + size);
  const { failures, applied } = await apply(tx, locationId, productsBatch(mode, chunk, first));
  const next = progress(state, chunk.length, failures.length);
  tx.send(sql.recordProgress, [
    locationId,
    jobId,
    next.processed_items,
    next.success_items,
    next.failed_items,
    JSON.stringify(failures.slice(0, Math.max(0, errorsKept - failed_items))),
    next.status,
    next.status === 'failed' ? 'None of the items could be applied; errors says why.' : null,
    state.keeps_ids ? JSON.stringify(applied) : null,
  ]);
  return next;
}

function progress(state: sql.JobState, processed: number, failed: number): sql.JobState {
  const processed_items = state.processed_items + processed;
  const failed_items = state.failed_items + failed;
  const success_items = processed_items - failed_items;
  const end = success_items > 0 ? 'completed' : 'failed';
  const status = processed_items < state.total_items ? 'processing' : end;
  return { ...state, status, processed_items, success_items, failed_items };
}
