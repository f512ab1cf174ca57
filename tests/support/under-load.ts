import { waitFor } from './wait.ts';

/** The calls made while a system was changed. */
export interface LoadReport {
  /** How much was done, before, between and after the changes. */
  operations: number;
  /** The calls during each change, so that a change without load is seen. */
  during: number[];
  errors: unknown[];
}

/**
 * Has every writer repeat its operation, one after another, while the changes are made in their order: each begins once
 * every writer has done `between` more operations, and the writers end when each has done as many after the last one.
 * A writer goes on after an error.
 */
export async function changeUnderLoad(
  writers: readonly (() => Promise<unknown>)[],
  changes: readonly (() => Promise<unknown>)[],
  between: number,
): Promise<LoadReport> {
  const errors: unknown[] = [];
  const done = writers.map(() => 0);
  const total = () => done.reduce((sum, count) => sum + count, 0);
  let over = false;
  const running = writers.map(async (write, index) => {
    while (!over) {
      await write().catch((error: unknown) => errors.push(error));
      done[index] = (done[index] ?? 0) + 1;
    }
  });
  const everyone = async () => {
    const goals = done.map((count) => count + between);
    await waitFor('every writer to go on', () => done.every((count, index) => count >= (goals[index] ?? 0)), {
      timeoutMs: 120_000,
      intervalMs: 5,
    });
  };
  const during: number[] = [];
  try {
    for (const change of changes) {
      await everyone();
      const before = total();
      await change();
      during.push(total() - before);
    }
    await everyone();
  } finally {
    over = true;
    await Promise.all(running);
  }
  return { operations: total(), during, errors };
}
