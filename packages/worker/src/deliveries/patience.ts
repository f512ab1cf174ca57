import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '@comanda/db';
import { backoffMs } from '../backoff.ts';

/** How long a database that is away is waited for. */
const patienceMs = 60_000;

/**
 * Does `work`, again and again while the database is away.
 *
 * @throws what `work` throws when the database stays away for a minute, and at once whatever else it throws.
 */
export async function untilAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > giveUpAt) throw error;
      await sleep(backoffMs(failures));
    }
  }
}
