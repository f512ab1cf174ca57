import { backoffMs, type Clock, isUnavailable, retry } from '@comanda/db';

/** How long a database that is away is waited for. */
const patienceMs = 60_000;

/**
 * Does `work`, again and again while the database is away.
 *
 * @throws what `work` throws when the database stays away for a minute, and at once any other error.
 */
export function untilAvailable<Result>(work: () => Promise<Result>, clock: Clock): Promise<Result> {
  const giveUpAt = clock.now() + patienceMs;
  const judge = (error: unknown, failures: number) => {
    if (!isUnavailable(error) || clock.now() > giveUpAt) throw error;
    return backoffMs(failures);
  };
  return retry(work, judge, clock);
}
