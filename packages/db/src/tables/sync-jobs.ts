import type { SyncJob } from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

export const syncJobs = table<SyncJob>()('sync_jobs', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    type: {},
    mode: {},
    status: { published: true, recorded: 'before and after' },
    items: {},
    total_items: {},
    processed_items: {},
    success_items: {},
    failed_items: {},
    errors: {},
    error: {},
    applied: {},
    request_id: {},
    traceparent: {},
    tries: {},
    due_at: {},
    queue_job: {},
    created_at: {},
    started_at: {},
    completed_at: {},
  },
  access: { service: everything, people: 'read' },
  belongs: { to: 'location', sandbox: 'emptied last' },
  published: { as: 'sync_job', id: 'id', on: ['update'] },
  guards: [
    {
      serviceOnly: 'all',
      sentence: "sync jobs are the service's: start one by POST /v2/sync/products",
    },
  ],
});
