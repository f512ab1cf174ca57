import { again, repeat } from './loop.ts';
import { type Queryable, statement } from './sql-database.ts';

/** Resolves once every transaction that writes now has ended; to false when one has not within `patienceMs`. */
export async function olderTransactionsEnd(on: Queryable, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  const [begun] = await on.run(takeNumber, []);
  return repeat(async () => {
    const [now] = await on.run(oldestTransaction, []);
    if (BigInt(now?.number ?? 0) >= BigInt(begun?.number ?? 0)) return true;
    return performance.now() > until ? false : again(100);
  });
}

// A number of our own is past all that were given out. That of the snapshot is not: it may be of one that still runs.
const takeNumber = statement<{ number: string }>(
  'take_transaction_number',
  'select pg_current_xact_id()::text as number',
);

const oldestTransaction = statement<{ number: string }>(
  'oldest_transaction',
  'select pg_snapshot_xmin(pg_current_snapshot())::text as number',
);
