import { again, repeat } from '../loops/loop.ts';
import { type Queryable, statement } from './database.ts';

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

/**
 * Resolves once every statement that the API and workers run now has ended; to false when one has not within `patienceMs`. A
 * statement that is a transaction by itself may have looked before it has a number.
 */
export async function olderStatementsEnd(on: Queryable, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  const [begun] = await on.run(takeMoment, []);
  return repeat(async () => {
    const [old] = await on.run(olderStatement, [begun?.moment]);
    if (old?.running === false) return true;
    return performance.now() > until ? false : again(100);
  });
}

const takeMoment = statement<{ moment: string }>('take_moment', 'select clock_timestamp()::text as moment');

// $1 moment. The service sees its own sessions.
const olderStatement = statement<{ running: boolean }>(
  'older_statement',
  `select exists (select from pg_stat_activity a where a.datname = current_database() and a.state = 'active'
     and a.application_name ~ '^comanda-(api|worker)' and a.query_start < $1::timestamptz) as running`,
);

// A number of our own is past all that were given out. That of the snapshot is not: it may be of one that still runs.
const takeNumber = statement<{ number: string }>(
  'take_transaction_number',
  'select pg_current_xact_id()::text as number',
);

const oldestTransaction = statement<{ number: string }>(
  'oldest_transaction',
  'select pg_snapshot_xmin(pg_current_snapshot())::text as number',
);
