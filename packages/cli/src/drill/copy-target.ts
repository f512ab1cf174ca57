import type { Account } from '@comanda/embedded';
import type { Programs } from './programs.ts';

/** Where a copy is made. */
export interface CopyTarget {
  /** A folder of its own, which nobody else may enter: whoever can is let in to the copy. */
  home: string;
  /** Whose it is; null means ours. */
  account: Account | null;
  programs: Programs;
  /** Ends what is under way. */
  signal: AbortSignal;
}
