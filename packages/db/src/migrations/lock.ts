import pg from 'pg';
import { means } from '../connection/sql-states.ts';
import { holdUps } from '../lifetimes.ts';
import { again, repeat, retry } from '../loops/loop.ts';
import { MigrationError } from '../release/migration-error.ts';

/** How often work that needs locks is tried, and where each try is logged. */
export interface Attempts {
  lockAttempts: number;
  /** The objects that work without its lock leaves behind; none by default. */
  left?: string;
  /** Called with every attempt that is given up. */
  log(line: string): void;
}

// Prisma's own number: whichever of the two migrates, the other waits.
const lockNumber = 72707369;

/** Between two attempts, so that those who queued behind the one get on. */
export const lockPauseMs = 500;

/**
 * Waits until this connection is the only one that migrates its database, and makes it step aside for others.
 * @throws {MigrationError} another one migrates for longer than `waitSeconds`.
 */
export async function lockMigrations(client: pg.Client, waitSeconds: number): Promise<void> {
  // A frozen or disconnected session reports nothing: in a transaction it would hold tables for hours. With the wait
  // for its own lock, which others queue behind, shorter than an order waits for one (2 s).
  await client.query(
    `set statement_timeout = 0; set client_min_messages = warning; set idle_in_transaction_session_timeout = '1s'`,
  );
  // Asked again and again: a statement that waits would hold up every CREATE INDEX CONCURRENTLY, this one's owner's too.
  const end = performance.now() + waitSeconds * 1_000;
  await repeat(async () => {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as taken',
      [lockNumber],
    );
    if (rows[0]?.taken === true) return undefined;
    if (performance.now() >= end)
      throw new MigrationError(`another process has been migrating this database for over ${waitSeconds} s`);
    return again(100);
  });
  await stepAside(client);
}

/**
 * From here on for DDL: rather step aside and try again than hold up every query behind ours. Shorter than Postgres
 * waits before it looks for deadlocks (1 s), so that no other session is chosen as the victim.
 */
export async function stepAside(client: Pick<pg.Client, 'query'>): Promise<void> {
  await client.query(`set lock_timeout = ${holdUps.migrationLockMs}`);
}

/**
 * Does `work` until it gets its locks, and rolls back what an attempt has begun.
 * @throws {MigrationError} none of the attempts got its locks.
 * Other failures of `work` are passed on, rolled back.
 */
export function inAttempts<Result>(
  client: pg.Client,
  name: string,
  { lockAttempts, left, log }: Attempts,
  work: () => Promise<Result>,
): Promise<Result> {
  return retry(work, async (error, attempt) => {
    await client.query('rollback').catch(() => {});
    if (!isPassing(error)) throw error;
    if (attempt >= lockAttempts)
      throw new MigrationError(gaveUp(name, attempt, await longestOpen(client), left));
    log(`${name} waits for a lock (attempt ${attempt})`);
    return lockPauseMs;
  });
}

/** A session that has been in a transaction for long. */
interface OpenTransaction {
  pid: number;
  role: string;
  name: string;
  seconds: number;
}

/** The sentences for work that got no lock in so many attempts; none is named where the role may not see others. */
export function gaveUp(
  name: string,
  attempts: number,
  open: readonly OpenTransaction[],
  left = 'nothing was changed',
): string {
  const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const named = open.map(
    ({ pid, role, name: program, seconds }) =>
      `pid ${pid} (${program || 'unnamed'}, ${role}) has been in a transaction for ${seconds} s`,
  );
  return [
    `${name} got no lock in ${tried}: a long transaction holds its tables; ${left}`,
    ...(named.length === 0 ? [] : [named.join('; ')]),
    'Let it end, or end it (select pg_terminate_backend(<pid>)), and migrate again; comanda doctor names what is held',
  ].join('. ');
}

/** The oldest transactions of the database that the role may see, three at most; none where the question fails. */
export async function longestOpen(client: Pick<pg.Client, 'query'>): Promise<OpenTransaction[]> {
  const asked = client.query<OpenTransaction>(`
    select pid, usename as role, application_name as name,
      extract(epoch from clock_timestamp() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and xact_start < clock_timestamp() - interval '500 ms'
    order by xact_start limit 3`);
  return (await asked.catch(() => ({ rows: [] }))).rows;
}

/** PostgreSQL's report of a failure, in one line. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return String(error);
  const said = [`${error.message} (${error.code})`, error.detail, error.hint].filter(Boolean).join('; ');
  return said.replaceAll('\n', ', ');
}

/**
 * A failure as the database reports it, after its location. Any other failure, and a transient one, is returned
 * unchanged.
 */
export const located = (where: string, error: unknown): unknown =>
  error instanceof pg.DatabaseError && !isPassing(error)
    ? new MigrationError(`${where}: ${describeFailure(error)}`, { cause: error })
    : error;

/** A lock that did not come in time, or a deadlock: nothing was changed, and it may do better next time. */
export const isPassing = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && means(error.code, 'lockTimeout', 'deadlocked');
