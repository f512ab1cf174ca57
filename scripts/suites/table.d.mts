/** A suite of tests: what it holds, what it needs, and when it runs. */
export interface Suite {
  /** What `npm test -- --suite <name>` takes. */
  readonly name: string;
  /** What it tests, for people; Markdown. */
  readonly holds: string;
  /** How long .ci/run or a person waits for it, on two cores with nothing else on them; absent where nobody measured it. */
  readonly minutes?: number;
  /** The words that .ci/run gives it; absent when it runs by hand alone. */
  readonly ci?: readonly string[];
  /** The suite of .ci/run during which this one runs there, after others that do; alone where absent. */
  readonly during?: string;
  /** Whether .ci/run gives its failed files a second run, alone. */
  readonly runsAgain?: boolean;
  /** Folders and files below `tests`; absent for a program, and for `quick`, which has what no other suite has. */
  readonly files?: readonly string[];
  /** What it needs beside the packages of the repository. Its files run by its name alone. */
  readonly needs?: string;
  /** Files at once; 4 where absent. */
  readonly workers?: number;
  /** The long form of its tests: COMANDA_TRIALS. */
  readonly trials?: 'full';
  /** The module, beside the table, whose `run(words, signal)` is the suite; it gets every word that follows the name. */
  readonly program?: string;
}

/** Every suite; those of .ci/run first, in its order. */
export const suites: readonly Suite[];
/** The suite of this name. @throws {Error} that names the list, when there is none. */
export function suiteNamed(name: string): Suite;
/** The globs of its files from the root; none for `quick` and for programs. */
export function globsOf(suite: Suite): string[];
/** What runs it, as it is typed. */
export function commandOf(suite: Suite, words?: readonly string[]): string;
