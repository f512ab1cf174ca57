import type { Sessions, Transaction } from '@comanda/db';
import { type Asked, locking, readCurrent, reading } from './reads.statements.ts';
import type { Current, Writes } from './rows.rules.ts';
import { beginSnapshot } from './statements.ts';
import { write } from './writes.statements.ts';

// The common part of products jobs, catalog sync and stock sync: they read the rows that they name, decide, and write
// whole rows. Every writer at a location takes its locks in one order, which is at the head of prisma/sql/locks.sql.

/** A batch: its input, and its outcome. */
export interface Batch<Plan extends { writes: Writes }> {
  asked: Asked;
  /** Decides from what there is. Throws what refuses the batch. */
  plan(current: Current): Plan;
}

/**
 * The outcome of the batch at this moment: all reads in one snapshot, without a lock or a change. Throws its refusal.
 */
export function foresee<Plan extends { writes: Writes }>(
  database: Sessions,
  locationId: string,
  { asked, plan }: Batch<Plan>,
): Promise<Plan> {
  return database.transaction(undefined, async (tx) => {
    await tx.run(beginSnapshot, []);
    return plan(await readCurrent(tx, locationId, reading, asked));
  });
}

/** Applies the batch in a transaction, which holds the location's bulk writes where it is more than one item. Throws its refusal. */
export async function apply<Plan extends { writes: Writes }>(
  tx: Transaction,
  locationId: string,
  { asked, plan }: Batch<Plan>,
): Promise<Plan> {
  const decided = plan(await readCurrent(tx, locationId, locking, asked));
  write(tx, locationId, decided.writes);
  return decided;
}
