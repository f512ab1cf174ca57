import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { withstandExhaustion } from './exhaustion.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { openPool } from './pool.ts';
import { sessionNamed } from './session-name.ts';
import { onConnection } from './stale-plans.ts';
import { type WorkKind, workLimits } from './work-limits.ts';

/** A named SQL statement; the name makes it a prepared statement, once per connection. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Carries the row's type; never set. */
  readonly row?: Row;
}

/** Declares a prepared statement whose rows have the shape `Row`. Names are unique in the code base. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name, text };
}

/** Whatever runs statements: the pool, or one transaction. */
export interface Queryable {
  run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** One connection inside a transaction. */
export type Transaction = Queryable;

/** A Prisma transaction, for ordinary work. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/** Runs statements in a transaction, Prisma's or ours. */
export function queryableOf(tx: Transaction | PrismaTransaction): Queryable {
  if (!('$queryRawUnsafe' in tx)) return tx;
  return { run: ({ text }, values) => tx.$queryRawUnsafe(text, ...values) };
}

/** The database: Prisma for ordinary work, prepared statements for the hot paths, one pool beneath both. */
export interface Database extends Queryable {
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /**
   * Runs `work` on one connection, without a transaction. When a migration has just changed what a statement
   * answers, `work` runs again.
   */
  session<Result>(work: (on: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction on one connection; rolls back when it throws. Captured changes
   * made inside carry `requestId`. When a migration has just changed what a statement answers, `work` runs again.
   */
  transaction<Result>(
    requestId: string | undefined,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result>;
  /** The same for Prisma. */
  prismaTransaction<Result>(
    requestId: string | undefined,
    work: (tx: PrismaTransaction) => Promise<Result>,
  ): Promise<Result>;
  /** Waits for what is under way and closes every connection. */
  close(): Promise<void>;
}

/** How to reach the database. */
export interface DatabaseOptions {
  url: string;
  /** Whose limits hold; those of a command unless said. */
  work?: WorkKind;
  /** Connections at most, instead of the kind's. */
  poolSize?: number;
  /** Shown in pg_stat_activity; begins with `comanda`, by which guards know the service. */
  applicationName?: string;
  /** A connection that waits longer for an answer is broken; 5 s more than a statement may run unless said. */
  abandonMs?: number;
  /** Statements get no names: behind a pooler in transaction mode each transaction may be on another connection. */
  unnamed?: boolean;
  /** Told of connections that break while idle. */
  onError?(error: Error): void;
}

/** Opens the pool; connects when the first statement runs. */
export function openDatabase(options: DatabaseOptions): Database {
  const limits = workLimits[options.work ?? 'command'];
  const pool = openPool(
    {
      ...sessionNamed(options.url, options.applicationName ?? 'comanda'),
      max: options.poolSize ?? limits.connections,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      connectionTimeoutMillis: limits.waitMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // Estimates depend on no value (docs/decisions/0020): to plan for each anew costs more than to run. Pages that are
      // wanted again and again are in memory. A pooler refuses such options.
      ...(options.unnamed !== true && {
        options: '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1',
      }),
    },
    { suspicionMs: 2_000, askMs: 3_000, abandonMs: options.abandonMs ?? limits.statementMs + 5_000 },
  );
  const onError = options.onError ?? (() => {});
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  withstandExhaustion(pool);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: limits.waitMs, timeout: limits.statementMs },
  });
  const runOn = options.unnamed ? runUnnamed : runNamed;
  const on = (client: pg.PoolClient): Queryable => ({
    run: (statement, values) => runOn(client, statement, values),
  });
  const begin = async (client: pg.PoolClient, requestId: string | undefined) => {
    await client.query('BEGIN');
    if (requestId !== undefined) await runOn(client, setRequestId, [requestId]);
  };
  return {
    pool,
    prisma,
    run: (statement, values) => onConnection(pool, (client) => runOn(client, statement, values)),
    session: (work) => onConnection(pool, (client) => work(on(client))),
    transaction: (requestId, work) =>
      onConnection(pool, async (client) => {
        try {
          await begin(client, requestId);
          const result = await work(on(client));
          await client.query('COMMIT');
          return result;
        } catch (error) {
          // Where this fails the connection is gone, and the pool lets go of it.
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      }),
    prismaTransaction: (requestId, work) =>
      prisma.$transaction(async (tx) => {
        if (requestId !== undefined)
          await tx.$executeRaw`select set_config('comanda.request_id', ${requestId}, true)`;
        return work(tx);
      }),
    async close() {
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

const setRequestId = statement('set_request_id', `select set_config('comanda.request_id', $1, true)`);

async function runNamed<Row>(
  on: pg.PoolClient,
  { name, text }: Statement<Row>,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await on.query({ name, text, values: [...values] });
  return result.rows as Row[];
}

async function runUnnamed<Row>(
  on: pg.PoolClient,
  { text }: Statement<Row>,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await on.query({ text, values: [...values] });
  return result.rows as Row[];
}
