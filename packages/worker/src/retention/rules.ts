import { deletionsKept, type Statement } from '@comanda/db';
import { type Batch, batchRows, type RetentionRule } from './batch.ts';
import { removeOldEvents } from './events.ts';
import * as sql from './statements.ts';

/**
 * Everything that is removed by itself. Orders, money, stock, the catalog and work totals are kept for good, and
 * what is still due is never old. Days are full days of UTC, and one more, so that a replay of the last 30 days
 * never meets an event that is being removed.
 */
export const retentionRules = [
  {
    name: 'idempotency keys',
    setting: 'idempotencyTtlHours',
    remove: everywhere(sql.removeIdempotencyKeys),
  },
  {
    name: 'delivery attempts',
    setting: 'keepAttemptsDays',
    scopes: sql.locationsWithOldAttempts,
    remove: within(sql.removeAttempts),
  },
  {
    name: 'events with their deliveries',
    setting: 'keepEventsDays',
    scopes: sql.locationsWithOldEvents,
    remove: removeOldEvents,
  },
  {
    name: 'sync jobs',
    setting: 'keepSyncJobsDays',
    scopes: sql.locationsWithOldSyncJobs,
    remove: within(sql.removeSyncJobs),
  },
  {
    name: 'audit entries',
    setting: 'keepAuditDays',
    scopes: sql.locationsWithOldAudit,
    remove: within(sql.removeAudit),
  },
  {
    name: 'audit entries of no location',
    setting: 'keepAuditDays',
    remove: everywhere(sql.removeLoneAudit),
  },
  {
    name: 'notes of deletions',
    setting: deletionsKept,
    scopes: sql.locationsWithOldDeletions,
    remove: within(sql.removeDeletions),
  },
  {
    name: 'limit windows',
    setting: 'keepLimitWindowsDays',
    scopes: sql.keysWithOldWindows,
    remove: within(sql.removeLimitWindows),
  },
  {
    name: 'changes set aside',
    setting: 'keepSetAsideDays',
    remove: everywhere(sql.removeSetAside),
  },
  {
    name: 'jobs given up',
    setting: 'keepFailedJobsDays',
    remove: everywhere(sql.removeFailedJobs),
  },
] as const satisfies readonly RetentionRule[];

/** The name of a rule. */
export type RuleName = (typeof retentionRules)[number]['name'];

type RemoveOne = Statement<{ removed: number }>;

function everywhere(statement: RemoveOne): RetentionRule['remove'] {
  return async (database, { keep }) => outcome(await database.run(statement, [keep, batchRows]));
}

function within(statement: RemoveOne): RetentionRule['remove'] {
  return async (database, { scope, keep }) =>
    outcome(await database.run(statement, [scope, keep, batchRows]));
}

// The removed rows are out of the way: the next batch begins where this one did.
function outcome([row]: readonly { removed: number }[]): Batch {
  const removed = row?.removed ?? 0;
  return { removed, next: removed < batchRows ? undefined : '0' };
}
