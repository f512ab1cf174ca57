import { sqlState } from '@comanda/db';

// Taken meanwhile by somebody else (a sku, an external_id), gone meanwhile, a deadlock, a serialisation failure.
const races = new Set(['23505', '23503', '40P01', '40001']);

/**
 * Runs a whole transaction that decides from what it reads; when Postgres rolls it back because another one came
 * between, it is decided again from what is there then. Throws the last error after `attempts`.
 */
export async function repeatingRaces<T>(transaction: () => Promise<T>, attempts = 5): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= attempts || !races.has(sqlState(error)?.code ?? '')) throw error;
    }
  }
}
