import type { CertificationCheck, CheckName } from '@comanda/api/services';
import type { Run } from './run.ts';

/** The features that an integration has or lacks. */
export type Deed = keyof Run['does'];

/** A check of a certification. */
export interface Check {
  title: string;
  /** It applies to integrations that do all of this. */
  needs: readonly Deed[];
  /** It applies to integrations that do one of these at least; unless given it applies to all that do what it needs. */
  needsOneOf?: readonly Deed[];
  /** It is not played where one of these checks failed, since it could not be judged. */
  leansOn: readonly CheckName[];
  /** The page to read. */
  read: CertificationCheck['read'];
  /** Plays it. Throws `Unmet` when the integration does not do what it should. */
  play(run: Run): Promise<void>;
}
