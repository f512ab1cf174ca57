/** How long to wait after the n-th failure in a row: 100 ms, 200 ms … 5 s. */
export function backoffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(failures - 1, 10));
}
