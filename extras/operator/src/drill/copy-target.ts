import type { Account } from '@comanda/embedded';
import type { Programs } from './programs.ts';

/** Where a copy is made. */
export interface CopyTarget {
  /** A folder that no other account may enter, since entering it is enough to use the copy. */
  home: string;
  /** The account that owns it; null means ours. */
  account: Account | null;
  programs: Programs;
  /** Ends what is under way. */
  signal: AbortSignal;
}
