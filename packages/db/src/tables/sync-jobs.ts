import type { SyncJob } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const syncJobs = table<SyncJob>()('sync_jobs', {
  columns: {
    ...plain(
      'location_id id type mode items total_items processed_items success_items failed_items',
      'errors error applied request_id api_key_id traceparent tries due_at queue_job created_at started_at',
      'completed_at',
    ),
    status: { published: true, recorded: 'before and after' },
  },
  people: 'read',
  belongs: { sandbox: 'emptied last' },
  published: { as: 'sync_job', on: ['update'] },
  serviceOnly: "sync jobs are the service's: start one by POST /v2/sync/products",
});
