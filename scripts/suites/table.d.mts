/** A suite of tests: what it holds, what it needs, and when it runs. */
export interface Suite {
  /** What `npm test -- --suite <name>` takes. */
  readonly name: string;
  /** What it tests, for people; Markdown. */
  readonly holds: string;
  /**
   * `change`: in every `.ci/run`. `touched`: in `.ci/run` when a file that it depends on differs from where it was last green, and
   * each night. `night`: in `--nightly` alone. `hand`: by its name alone.
   */
  readonly runs: 'change' | 'touched' | 'night' | 'hand';
  /** Folders and files below `tests`, or from the root those of `extras`; absent for a program, and for `quick`, which has what no other suite has. */
  readonly files?: readonly string[];
  /** What it needs in addition to the packages of the repository. Its files run by its name alone. */
  readonly needs?: string;
  /** The programs of the system among these, each with its package; .ci/run and --nightly do not run it without them. */
  readonly programs?: readonly (readonly [program: string, packageName: string])[];
  /** Files at once; 4 where absent. */
  readonly workers?: number;
  /** The long form of its tests: COMANDA_TRIALS. */
  readonly trials?: 'full';
  /** The module, next to the table, whose `run(words, signal)` is the suite; it gets every word that follows the name. */
  readonly program?: string;
  /** Of the service it knows the documents alone: of packages/api only what these are made of touches it. */
  readonly isPeer?: boolean;
  /** Files and folders that touch it, in addition to what its files import or start. */
  readonly reads?: readonly string[];
}

/** Every suite, in the order in which .ci/run and --nightly run them. */
export const suites: readonly Suite[];
/** The suite of this name. @throws {Error} that names the list, when there is none. */
export function suiteNamed(name: string): Suite;
/** The paths of its files and folders from the root; none for `quick` and for programs. */
export function pathsOf(suite: Suite): string[];
/** The globs of the same. */
export function globsOf(suite: Suite): string[];
/** The globs of the files that a run leaves to other suites. */
export function leftBy(suite: Suite): string[];
/** Whether its tests are in Chromium. */
export function isInChromium(suite: Suite): boolean;
/** What runs it, as it is typed. */
export function commandOf(suite: Suite, words?: readonly string[]): string;
