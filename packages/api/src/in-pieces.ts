import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Leaving, UnwantedError } from '@comanda/db';

/** How long work goes on without a turn of the event loop, in milliseconds. */
const pieceMs = 10;

/**
 * Runs steps to their end, in pieces: between them, other work of the event loop has its turn. Throws `UnwantedError` at the next piece once
 * `left` is gone.
 */
export async function inPieces<Result>(steps: Generator<undefined, Result>, left?: Leaving): Promise<Result> {
  for (;;) {
    const began = performance.now();
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() - began < pieceMs);
    await nextTurn();
    if (left?.isGone) throw new UnwantedError();
  }
}
