import type { Queryable } from '@comanda/db';
import type { Caller } from '../credentials/credentials.ts';
import type { Holding, Lease } from './lease.ts';
import { readUsage, type WindowRow } from './statements.ts';

/** A key's use of a window and its remainder. */
export interface WindowUsage {
  limit: number;
  used: number;
  remaining: number;
  resetsAt: Date;
}

/** A key's use of each of its windows. */
export interface Usage {
  minute: WindowUsage;
  month: WindowUsage;
  batchHour: WindowUsage;
}

/**
 * Reads a key's use, without counting. A part that this process took and did not spend is not used; parts held
 * by others are, so that `remaining` may be less than the actual remainder, never more. `at` as for the limiter.
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
