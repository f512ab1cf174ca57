/** Waits, or until the signal ends it. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Pauses that begin in one turn and are equally long end together, by one timer. A timer of each would part the calls of a batch:
 * two that begin in two milliseconds end in two turns.
 */
export function jointPauses(): Pause {
  const begun = new Map<number, Joint>();
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const joint = begun.get(ms) ?? begin(ms, begun);
      const done = () => {
        signal.removeEventListener('abort', done);
        joint.delete(done);
        resolve();
      };
      joint.add(done);
      signal.addEventListener('abort', done);
    });
}

interface Joint {
  add(done: () => void): void;
  /** Whoever is the last takes the timer along: nothing keeps the process from its end. */
  delete(done: () => void): void;
}

function begin(ms: number, begun: Map<number, Joint>): Joint {
  const waiting = new Set<() => void>();
  const timer = setTimeout(() => {
    for (const done of [...waiting]) done();
  }, ms);
  const joint: Joint = {
    add: (done) => waiting.add(done),
    delete(done) {
      waiting.delete(done);
      if (waiting.size > 0) return;
      clearTimeout(timer);
      close();
    },
  };
  // The failures of a batch are heard of in one turn, and nobody joins after it.
  const close = () => {
    clearTimeout(turn);
    if (begun.get(ms) === joint) begun.delete(ms);
  };
  const turn = setTimeout(close);
  begun.set(ms, joint);
  return joint;
}
