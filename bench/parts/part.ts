import type { Effort } from '../load.ts';
import type { Row } from '../result.ts';
import type { Setup } from '../setup.ts';

/** The context of a part. `small`: only prove that it runs, on tiny data. */
export interface PartContext {
  setup: Setup;
  effort: Effort;
  small: boolean;
  log(line: string): void;
}

/** A part of the bench: `npm run bench -- <name>`. */
export interface Part {
  name: string;
  summary: string;
  /** The program that this machine lacks for it, if any: a run of all parts says so and goes on without it. */
  lacks?(small: boolean): string | undefined;
  /** A part that takes so long that no run of all parts has it: it runs in a check, or by its name. */
  onlyByName?: true;
  run(context: PartContext): Promise<Row[]>;
}
