import { ApiError } from '../../errors.ts';

/** How long a call waits for the batches ahead of it, in milliseconds. */
const waitMs = 10_000;

const tails = new Map<string, Promise<unknown>>();

/**
 * Runs the bulk writes of a location one at a time in this process, in the order in which they came: of all that wait
 * for the location's lock at most one a process holds a connection. Throws 503 with `Retry-After` after ten seconds.
 */
export async function inTurn<Result>(locationId: string, work: () => Promise<Result>): Promise<Result> {
  const ahead = tails.get(locationId);
  const mine = ahead === undefined ? work() : passed(ahead).then(work);
  const tail = Promise.allSettled([ahead, mine]);
  tails.set(locationId, tail);
  void tail.then(() => {
    if (tails.get(locationId) === tail) tails.delete(locationId);
  });
  return mine;
}

function passed(ahead: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = 'Other batches of this location are under way; try again shortly.';
    const refuse = () =>
      reject(new ApiError('internal_error', message, { status: 503, headers: { 'Retry-After': '5' } }));
    const timer = setTimeout(refuse, waitMs);
    void ahead.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
