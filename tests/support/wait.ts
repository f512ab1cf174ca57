import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks `check` until it gives something other than undefined, null or false, and returns that. An error that
 * it throws counts as "not yet" and is shown if time runs out.
 *
 * @throws {Error} after `timeoutMs` (20 s unless said), naming `description`.
 */
export async function waitFor<Result>(
  description: string,
  check: () => Result | Promise<Result>,
  { timeoutMs = 20_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<Result, undefined | null | false>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const result = await check();
      if (result !== undefined && result !== null && result !== false)
        return result as Exclude<Result, undefined | null | false>;
      last = result;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= end)
      throw new Error(`waited ${timeoutMs} ms without success for ${description}; last: ${String(last)}`, {
        cause: last,
      });
    await sleep(intervalMs);
  }
}

/** Stops this process for so many milliseconds: no event, timer or answer is served meanwhile. */
export function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
