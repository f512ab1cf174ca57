import { valueIn } from '@comanda/api/src/call/answer.ts';
import { retryIn } from '@comanda/api/src/resources/sync-jobs/retry.store.ts';
import { SyncJob, SyncJobList } from '@comanda/api/src/resources/sync-jobs/schema.ts';
import * as syncJobs from '@comanda/api/src/resources/sync-jobs/service.ts';
import { z } from 'zod';
import type { Work } from './command.ts';
import { number, parse } from './input.ts';
import { rows } from './rows.ts';
import { scopeOf } from './scope.ts';

const Asked = z.object({ ...SyncJobList.shape, status: SyncJob.shape.status.optional() });

/** `comanda jobs list` */
export const listJobs: Work = {
  run: async ({ database }, { location, limit, status: wanted }) => {
    const { status, ...paging } = parse(Asked, { limit: number(limit), status: wanted });
    const { data } = await valueIn(await syncJobs.list(await scopeOf(database, location), paging));
    return data.filter((job) => status === undefined || job.status === status);
  },
  show: (value) =>
    rows(value as SyncJob[], {
      CREATED: ({ created_at }) => created_at,
      ID: ({ job_id }) => job_id,
      STATUS: ({ status }) => status,
      DONE: ({ processed_items, total_items }) => `${processed_items} of ${total_items}`,
      FAILED: ({ failed_items }) => String(failed_items),
      ERROR: ({ error, errors }) => error ?? errors[0]?.message ?? '-',
    }),
};

/** `comanda jobs retry` */
export const retryJob: Work = {
  run: async ({ database }, { location }, [id = '']) => {
    const { actor } = await scopeOf(database, location, id);
    return database.transaction(undefined, (tx) => retryIn(tx, actor, id));
  },
};
