/** How long to wait after failures: twice as long each time, in milliseconds. */
export interface Backoff {
  firstMs: number;
  longestMs: number;
}

/** How long to wait after the n-th failure in a row; 100 ms, 200 ms … 5 s unless said. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff = usual): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

const usual: Backoff = { firstMs: 100, longestMs: 5_000 };
