import type { Suite } from './table.mjs';

/** The outcome of a command, as its last line counts it. */
export interface Outcome {
  readonly command: string;
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
  readonly minutes: number;
  /** The part of the cores' time that was busy meanwhile, in percent. */
  readonly busy: number;
}

/** The suites of .ci/run by their stages, in order: in each the suite that leads it, and those that run during it. */
export function stagesOf(suites: readonly Suite[]): (readonly Suite[])[];
/** Runs a stage, and gives the outcome of each suite in the order of the stage. */
export function runStage(
  stage: readonly Suite[],
  options?: { readonly words?: (suite: Suite) => string; readonly everyMs?: number },
): Promise<(Outcome & { readonly suite: Suite })[]>;
/** Runs a command, shows what it prints, and counts. In company it is shown whole at its end. */
export function run(
  command: string,
  options?: { readonly inCompany?: boolean; readonly everyMs?: number },
): Promise<Outcome>;
/** The files of tests that are done by the lines of vitest, and those among them that failed. */
export function howFar(output: string): string;
