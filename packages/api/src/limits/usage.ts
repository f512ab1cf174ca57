import type { Queryable } from '@comanda/db';
import type { Caller } from '../credentials/credentials.ts';
import type { Holding, Lease } from './lease.ts';
import { readUsage, type WindowRow } from './statements.ts';

/** What a key has used of a window and has left in it. */
export interface WindowUsage {
  limit: number;
  used: number;
  remaining: number;
  resetsAt: Date;
}

/** What a key has used of each of its windows. */
export interface Usage {
  minute: WindowUsage;
  month: WindowUsage;
  batchHour: WindowUsage;
}

/**
 * Reads what a key has used, without counting. What this process took and did not spend is not used; what others
 * hold is, so that `remaining` may be less than what is left, never more. `at` as for the limiter.
 */
export async function usageOf(
  database: Queryable,
  { apiKeyId, limits }: Caller,
  lease: Lease | undefined,
  at: Date | null,
): Promise<Usage> {
  const held = (end: number, { end: heldUntil, tokens }: Holding) => (heldUntil === end ? tokens : 0);
  const before = lease && { minute: { ...lease.minute }, month: { ...lease.month } };
  const [row] = await database.run(readUsage, [apiKeyId, at]);
  if (row === undefined) throw new Error('the database knows no time');
  // Refilled or spent meanwhile: the smaller of the two was at hand all along.
  const atHand = (window: 'minute' | 'month', { ends }: WindowRow) =>
    before && lease ? Math.min(held(ends, before[window]), held(ends, lease[window])) : 0;
  return {
    minute: windowUsage(limits.perMinute, row.minute, atHand('minute', row.minute)),
    month: windowUsage(limits.monthly, row.month, atHand('month', row.month)),
    batchHour: windowUsage(limits.batchJobsPerHour, row.batch_hour, 0),
  };
}

function windowUsage(limit: number, { used, ends }: WindowRow, atHand: number): WindowUsage {
  const spent = Math.max(0, used - atHand);
  return { limit, used: spent, remaining: Math.max(0, limit - spent), resetsAt: new Date(ends * 1_000) };
}
