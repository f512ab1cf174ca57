import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { seedOf } from '../support/trials.ts';

/** The seed of this run. Printed with every failure. */
export const seed = seedOf(20_261_126);

/** A request that was answered wrongly. */
export class WrongAnswer extends Error {
  /** `replay` is what to paste into a shell. */
  constructor(fault: unknown, replay: string, answer: string) {
    super(
      `${fault instanceof Error ? fault.message : String(fault)}\n  ${answer.slice(0, 600)}\n  ${replay.slice(0, 4_000)}`,
    );
    this.name = 'WrongAnswer';
  }
}

/**
 * Tries `runs` values made by `arbitrary`; a failing one is shrunk.
 * @throws {Error} the shrunk failure, with the seed and how to run it again.
 */
export async function campaign<Value>(
  name: string,
  runs: number,
  arbitrary: fc.Arbitrary<Value>,
  attempt: (value: Value) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, attempt);
  const result = await fc.check(property, {
    // Each its own, or all would be dealt the same odds.
    seed: seed ^ crc32(name),
    numRuns: runs,
  });
  if (!result.failed) return;
  const said =
    result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  throw new Error(
    `${name}: ${said}\n  after ${result.numRuns} runs and ${result.numShrinks} simplifications; again: COMANDA_SEED=${seed} npm test -- --suite fuzz -t '${name}'`,
  );
}

/** Counts what was answered, and how long the slowest answer took. */
export function createTally() {
  const statuses = new Map<number, number>();
  let slowest = { tookMs: 0, about: '' };
  return {
    count(about: string, { status, tookMs }: { status: number; tookMs: number }): void {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (tookMs > slowest.tookMs) slowest = { tookMs, about };
    },
    /** How many were answered with such a status. */
    answered: (from: number, to: number) =>
      [...statuses].reduce((sum, [status, count]) => sum + (status >= from && status <= to ? count : 0), 0),
    /** One line: the seed, the answers by status, the slowest. */
    report(what: string): void {
      const shown = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      process.stdout.write(
        `fuzz: ${what}: seed ${seed}, ${shown.join(', ')}; slowest ${Math.round(slowest.tookMs)} ms (${slowest.about})\n`,
      );
    },
  };
}
