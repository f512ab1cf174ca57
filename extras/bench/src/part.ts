import type { Figure } from './figure.ts';
import type { Subject } from './subject.ts';

/** The context of a part. `small`: only prove that it runs, on tiny data. */
export interface PartContext {
  subject: Subject;
  small: boolean;
  log(line: string): void;
}

/** A part of the bench: `npm run bench -- <name>`. */
export interface Part {
  name: string;
  summary: string;
  /** How often the figures are taken in a full run. Of more than one round, the first only warms up. */
  rounds: number;
  /** Fills the databases and starts the processes; each call of the answer takes every figure once. */
  open(context: PartContext): Promise<() => Promise<Figure[]>>;
}
