import type { Queryable } from '@comanda/db';
import type { Caller } from '../credentials/credentials.ts';
import { ApiError } from '../errors.ts';
import { retryAfter } from './lease.ts';
import { type BatchHourRow, countBatchJob, readBatchHour } from './statements.ts';

/** Batch jobs of a key in the hour of the clock. They are few, so each is counted by the database itself. */
export interface BatchQuota {
  /** `X-RateLimit-Batch-*` without counting. */
  headers(caller: Caller): Promise<Record<string, string>>;
  /** The same, but throws as `start` does when the hour is full. */
  refuseUsedUp(caller: Caller): Promise<Record<string, string>>;
  /** Counts one job, in the transaction `on` when given. Throws `rate_limited` with the batch headers and Retry-After when the hour is full. */
  start(caller: Caller, on?: Queryable): Promise<Record<string, string>>;
}

/** `at` replaces the database's clock when it gives a time. Specification: Limits, batch limits. */
export function createBatchQuota(database: Queryable, at: () => Date | null): BatchQuota {
  return {
    async headers({ apiKeyId, limits }) {
      const [row] = await database.run(readBatchHour, [apiKeyId, at()]);
      return batchHeaders(limits.batchJobsPerHour, row);
    },
    async refuseUsedUp({ apiKeyId, limits: { batchJobsPerHour: limit } }) {
      const [row] = await database.run(readBatchHour, [apiKeyId, at()]);
      if (row?.used == null || row.used >= limit) throw usedUp(limit, row);
      return batchHeaders(limit, row);
    },
    async start({ apiKeyId, limits: { batchJobsPerHour: limit } }, on = database) {
      const [row] = await on.run(countBatchJob, [apiKeyId, at(), limit]);
      if (row?.used == null) throw usedUp(limit, row);
      return batchHeaders(limit, row);
    },
  };
}

const usedUp = (limit: number, row: BatchHourRow | undefined): ApiError =>
  new ApiError('batch_limit', `The limit of ${limit} batch jobs an hour is used up.`, {
    headers: {
      ...batchHeaders(limit, row),
      'Retry-After': row ? retryAfter(row.ends, row.now * 1_000) : '1',
    },
  });

function batchHeaders(limit: number, row: BatchHourRow | undefined): Record<string, string> {
  return {
    'X-RateLimit-Batch-Limit': String(limit),
    'X-RateLimit-Batch-Remaining': String(Math.max(0, limit - (row?.used ?? limit))),
    'X-RateLimit-Batch-Reset': String(row?.ends ?? 0),
  };
}
