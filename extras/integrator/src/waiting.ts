import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

/** How long to wait before the next try, in seconds: 1, 2, 4 … up to `mostSeconds`. `tries` counts those that were made. */
export const backoffSeconds = (tries: number, mostSeconds: number): number =>
  Math.min(2 ** Math.min(tries - 1, 10), mostSeconds);
