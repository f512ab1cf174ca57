import type { Database, Statement, Transaction } from '@comanda/db';

/** Something that is not as it must be. */
export interface Harm {
  /** Null where it concerns no location. */
  location: string | null;
  /** The row in question: `order 42 (01935a3e-…)`. */
  what: string;
  /** The fault of it, to be read after `what`. */
  harm: string;
  /** It may be meant: a warning. */
  mild?: boolean;
}

/** Where to look, and how far. */
export interface Look {
  database: Database;
  /** The location, for what is looked at one location after the other. */
  location: string;
  /** So many of the newest rows; null: all. */
  newest: number | null;
}

/** An invariant, for every writer: how it is checked, and how it is derived again where it can be. */
export interface Invariant {
  name: string;
  means: string;
  /** The advice for a person, where it is not repaired. */
  advice: string;
  /** Asked once, or for one location after the other. */
  of: 'database' | 'location';
  /** Only so many of the newest rows of a location are looked at, unless all are wanted. */
  newest?: number;
  /** At most 101 rows. A statement takes the location ($1) and how many ($2), as far as it names them. */
  asks: Statement<Harm> | ((look: Look) => Promise<Harm[]>);
  /**
   * Derives again everything that is violated at a location ($1), and reports it: a sentence a row. It does not wait
   * long for other sessions, and finds nothing to do the second time. `schema`: the migrator makes it again.
   */
  repairs?: Statement<Repaired> | ((repairing: Repairing) => Promise<Repaired[]>) | 'schema';
}

/** In which transaction, and of which location: null for what concerns none. */
export interface Repairing {
  tx: Transaction;
  database: Database;
  location: string | null;
}

/** One thing that was derived again, and how it was before. */
export interface Repaired {
  what: string;
  before: unknown;
  after: unknown;
}

/** More rows than these are not reported one by one. */
export const reportedAtMost = 100;

/** The values that a statement names. */
export function valuesFor(
  { text }: Statement<unknown>,
  location: string | null,
  newest: number | null,
): unknown[] {
  if (text.includes('$2')) return [location, newest];
  return text.includes('$1') ? [location] : [];
}
