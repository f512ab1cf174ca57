import { idempotentOperation, operation, router } from '../../call/operation.ts';
import { previewProducts } from './preview.service.ts';
import { ProductSync, StartedSyncJob, SyncJob, SyncJobById, SyncJobList, SyncJobPage } from './schema.ts';
import * as syncJobs from './service.ts';

/** Specification: Sync jobs. */
export const syncJobsRouter = router({
  startProducts: idempotentOperation({
    permission: 'sync:products',
    summary: 'Sync products in the background',
    description:
      'Every item is matched by its `external_id`. Read the job to learn what became of them. With `dry_run` there is ' +
      'no job: the answer says at once what would become of each item, counts no batch job and leaves the ' +
      'Idempotency-Key unused.',
    rest: ['POST /v2/sync/products'],
    status: 202,
    batch: true,
    errors: ['conflict'],
  })
    .input(ProductSync)
    .output(StartedSyncJob)
    .mutation(({ ctx, input: { dry_run, ...batch } }) =>
      dry_run ? previewProducts(ctx, batch) : syncJobs.startProducts(ctx, batch),
    ),

  get: operation({
    permission: 'sync:read',
    summary: 'Read a sync job',
    description: 'Its status, its counts, and the first 100 items that failed, each with its index and why.',
    rest: ['GET /v2/sync/jobs/{id}'],
    errors: ['resource_not_found'],
  })
    .input(SyncJobById)
    .output(SyncJob)
    .query(({ ctx, input }) => syncJobs.get(ctx, input.id)),

  list: operation({
    permission: 'sync:read',
    summary: 'List sync jobs',
    description: 'Newest first.',
    rest: ['GET /v2/sync/jobs'],
  })
    .input(SyncJobList)
    .output(SyncJobPage)
    .query(({ ctx, input }) => syncJobs.list(ctx, input)),

  retry: operation({
    permission: 'jobs:retry',
    summary: 'Run a failed sync job again',
    description:
      'It continues behind the last processed item; when nothing could be applied it starts over. No item is applied twice.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(SyncJobById)
    .output(SyncJob)
    .mutation(({ ctx, input }) => syncJobs.retry(ctx, input.id)),
});
