import { isState } from '@comanda/db';

// Rolled back; taken meanwhile by another transaction (a sku, an external_id); deleted meanwhile, or referenced by a
// new row.
const races = ['collided', 'taken', 'referenced'] as const;

/** How often a transaction is begun at most. */
const attempts = 5;

/**
 * Runs a whole transaction that decides from what it reads; when Postgres rolls it back because another one came
 * between, it is decided again from what is there then. Throws the last error.
 */
export const repeatingRaces = <T>(transaction: () => Promise<T>) => repeating(races, transaction);

/**
 * The same for a transaction whose caller learns which name was taken meanwhile. Our own take their locks in one
 * order (prisma/sql/locks.sql); hand edits take them in any.
 */
export const repeatingDeadlocks = <T>(transaction: () => Promise<T>) => repeating(['collided'], transaction);

async function repeating<T>(
  meanings: readonly (typeof races)[number][],
  transaction: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= attempts || !isState(error, ...meanings)) throw error;
    }
  }
}
