/** A pause that this turn has begun: its length, the function that ends it for each that waits, and the timer. */
let begun: { ms: number; ends: Set<() => void>; timer: ReturnType<typeof setTimeout> } | undefined;

/**
 * Waits, or until the signal ends it. Pauses that begin in one turn and are equally long end together, by one timer: two timers that begin
 * in two milliseconds end in two turns, and part the calls of a batch.
 */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (begun?.ms !== ms) {
      const ends = new Set<() => void>();
      const timer = setTimeout(() => {
        for (const end of ends) end();
      }, ms);
      begun = { ms, ends, timer };
      setTimeout(() => {
        begun = undefined;
      });
    }
    const { ends, timer } = begun;
    const done = () => {
      ends.delete(done);
      if (!ends.size) {
        clearTimeout(timer);
        if (begun?.ends === ends) begun = undefined;
      }
      signal?.removeEventListener('abort', done);
      resolve();
    };
    ends.add(done);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}
