import type { Suite } from './table.mjs';

/** What follows `npm test --`. */
export interface Words {
  /** The suites are to be listed. */
  list: boolean;
  /** The suites that run, in order; none where words for vitest name what runs. */
  suites: Suite[];
  /** The run stays, and follows edits. */
  watching: boolean;
  /** Words for vitest, or for the suite that is a program. */
  rest: string[];
}

/**
 * Reads what follows `npm test --`. Without a suite's name and without words for vitest it is the suite `quick`.
 * @throws {Error} for a suite that does not exist, a program beside other suites, or files that only their suite runs.
 */
export function wordsOf(words: readonly string[]): Words;
