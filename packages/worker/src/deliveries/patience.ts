import { backoffMs, isUnavailable, retry } from '@comanda/db';

/** How long a database that is away is waited for. */
const patienceMs = 60_000;

/**
 * Does `work`, again and again while the database is away.
 *
 * @throws what `work` throws when the database stays away for a minute, and at once any other error.
 */
export function untilAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  return retry(work, (error, failures) => {
    if (!isUnavailable(error) || performance.now() > giveUpAt) throw error;
    return backoffMs(failures);
  });
}
