import { applySyncJob, beginSyncJob } from '@comanda/api/services';
import type { Database } from '@comanda/db';

/** Applies the next sync job of a location as a worker does, without a queue. Nothing when none is due. */
export async function runSyncJob(
  database: Database,
  locationId: string,
  options?: Parameters<typeof applySyncJob>[3],
): ReturnType<typeof applySyncJob> {
  // The queue numbers its jobs from 1: this one is never locked.
  const begun = await beginSyncJob(database, locationId, '0');
  return begun && applySyncJob(database, locationId, begun, options);
}
