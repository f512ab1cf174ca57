import type { Certification, CertificationCheck, CheckName } from '@comanda/api/services';
import type { Entry, Step } from './log.ts';
import type { Call } from './statements.ts';

/** The name of a feature that an integration has or lacks. */
export type Feature = keyof Certification['does'];

/**
 * A check, or a part of it: it yields the steps that the service has to do, and gets the entry of each. It does nothing
 * itself, so that a recorded log leads to the same verdict as the run.
 */
export type Script<Result = void> = Generator<Step, Result, Entry>;

/** A run, as checks see it. */
export interface Run {
  readonly does: Certification['does'];
  /** Writes into the report what was done. */
  did(text: string): void;
  /** Writes into the report what was seen: a call, or a sentence. */
  saw(what: Call | string): void;
}

/** A check of a certification. */
export interface Check {
  title: string;
  /** It applies to integrations that do all of this. */
  needs: readonly Feature[];
  /** It applies to integrations that do one of these at least; unless given it applies to all that do what it needs. */
  needsOneOf?: readonly Feature[];
  /** It is not played where one of these checks failed, since it could not be judged. */
  leansOn: readonly CheckName[];
  /** The page to read. */
  read: CertificationCheck['read'];
  /** Plays and judges it. Throws `Unmet` when the integration does not do what it should. */
  play(run: Run): Script;
}
