import type { SqlDatabase, Statement, Transaction } from '@comanda/db';

/** Something that is not as it must be. */
export interface Harm {
  /** Null where it concerns no location. */
  location: string | null;
  /** What it is: `order 42 (01935a3e-…)`. */
  what: string;
  /** What is wrong with it, to be read after `what`. */
  harm: string;
  /** It may be meant: a warning. */
  mild?: boolean;
}

/** Where to look, and how far. */
export interface Look {
  database: SqlDatabase;
  /** The location, for what is looked at one location after the other. */
  location: string;
  /** So many of the newest rows; null: all. */
  newest: number | null;
}

/** What must always hold, whoever writes: what is asked, and how it is derived again where it can be. */
export interface Invariant {
  name: string;
  means: string;
  /** What a person does, where it is not repaired. */
  advice: string;
  /** Asked once, or for one location after the other. */
  of: 'database' | 'location';
  /** Only so many of the newest rows of a location are looked at, unless all are wanted. */
  newest?: number;
  /** At most 101 rows. A statement takes the location ($1) and how many ($2), as far as it names them. */
  asks: Statement<Harm> | ((look: Look) => Promise<Harm[]>);
  /**
   * Derives again what does not hold at a location ($1), all of it, and says what it did: a sentence a row. It waits for
   * nobody for long, and finds nothing to do the second time. `schema`: the migrator makes it again.
   */
  repairs?: Statement<Repaired> | ((repairing: Repairing) => Promise<Repaired[]>) | 'schema';
}

/** In which transaction, and of which location: null for what concerns none. */
export interface Repairing {
  tx: Transaction;
  database: SqlDatabase;
  location: string | null;
}

/** One thing that was derived again, and how it was before. */
export interface Repaired {
  what: string;
  before: unknown;
  after: unknown;
}

/** More rows than these are not told one by one. */
export const toldAtMost = 100;

/** The values that a statement names. */
export function valuesFor(
  { text }: Statement<unknown>,
  location: string | null,
  newest: number | null,
): unknown[] {
  if (text.includes('$2')) return [location, newest];
  return text.includes('$1') ? [location] : [];
}
