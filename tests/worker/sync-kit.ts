import { newId, type rows } from '@comanda/db';
import { itemsPerChunk } from '../../packages/api/src/resources/sync-jobs/apply.store.ts';
import type {
  ProductSyncItem,
  SyncItemError,
  SyncMode,
} from '../../packages/api/src/resources/sync-jobs/schema.ts';
import { prismaOf } from '../support/prisma.ts';
import { runSyncJob } from '../support/sync-jobs.ts';
import type { WorkerKit } from './kit.ts';

/** Jobs of one location, applied without a queue. */
export interface SyncKit {
  /** Makes a queued job, with any items; returns its id. */
  insertJob(items: readonly unknown[], mode?: SyncMode): Promise<string>;
  /** Makes a job and applies it. */
  run(items: readonly ProductSyncItem[], mode?: SyncMode, chunkSize?: number): Promise<SyncJobRow>;
  job(id: string): Promise<SyncJobRow>;
  /** The answer of REST, without the ids, by external_id. */
  products(): Promise<Record<string, Record<string, unknown>>>;
  /** The changes captured since the last call: how often each kind. */
  captured(): Promise<Record<string, number>>;
}

/** A job as it is stored. */
export type SyncJobRow = Omit<rows.SyncJob, 'errors'> & { errors: SyncItemError[] };

/** An item that names its product by the given number or text. */
export const item = (n: number | string, more: Partial<ProductSyncItem> = {}): ProductSyncItem => ({
  external_id: `e-${n}`,
  name: `Product ${n}`,
  price: 1.25,
  ...more,
});

/** The outcome of a job in one row. */
export const outcome = ({ status, processedItems, successItems, failedItems }: SyncJobRow) =>
  [status, processedItems, successItems, failedItems] as const;

/** Makes one for a location. */
export function createSyncKit({ database, sql }: WorkerKit, locationId: string): SyncKit {
  const kit: SyncKit = {
    async insertJob(items, mode = 'upsert') {
      const id = newId();
      await sql`insert into sync_jobs (location_id, id, mode, items, total_items, request_id)
        values (${locationId}, ${id}, ${mode}, ${JSON.stringify(items)}, ${items.length}, 'sync-1')`;
      return id;
    },
    async run(items, mode, chunkSize = itemsPerChunk) {
      const jobId = await kit.insertJob(items, mode);
      await runSyncJob(database, locationId, { chunkSize });
      return kit.job(jobId);
    },
    async job(id) {
      const row = await prismaOf(database).syncJob.findFirstOrThrow({ where: { id } });
      return { ...row, errors: row.errors as unknown as SyncItemError[] };
    },
    async products() {
      const found = await sql<{ doc: Record<string, unknown> }>`
        select j.doc::json as doc from products p, lateral products_json(p.location_id, array[p.id]) j
        where p.location_id = ${locationId}`;
      return Object.fromEntries(found.map(({ doc: { id: _, ...doc } }) => [String(doc.external_id), doc]));
    },
    async captured() {
      const found = await sql<{ what: string; times: number }>`
        with gone as (delete from internal.captured_changes where location_id = ${locationId} returning *)
        select resource || ' ' || operation as what, sum(cardinality(resource_ids))::int as times from gone group by 1`;
      return Object.fromEntries(found.map(({ what, times }) => [what, times]));
    },
  };
  return kit;
}
