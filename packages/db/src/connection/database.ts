import { createHash } from 'node:crypto';
import type pg from 'pg';
import { silence, type WorkKind, workLimits } from '../lifetimes.ts';
import { isState } from './database-errors.ts';
import { withstandExhaustion } from './exhaustion.ts';
import { openPool } from './pool.ts';
import { sessionNamed } from './session-name.ts';
import { setSessionSettings } from './session-settings.ts';
import { onConnection } from './stale-plans.ts';
import { type Leaving, type Wanted, whileWanted } from './wanted.ts';

/** A named SQL statement; the name makes it a prepared statement, once per connection. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Carries the row's type; never set. */
  readonly row?: Row;
}

/** Declares a prepared statement whose rows have the shape `Row`. Names are unique in the code base. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name: nameWithin(name), text };
}

/** PostgreSQL cuts a longer name, in bytes: two that begin alike would then be one, and the second be refused. */
const longestName = 63;

function nameWithin(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, longestName - digest.length - 1)}_${digest}`;
}

/** An object that runs statements: the pool, or one transaction. */
export interface Queryable {
  run<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** One connection inside a transaction. */
export interface Transaction extends Queryable {
  /** Sends a statement whose rows are not waited for; its failure fails the transaction. */
  send(statement: Statement<unknown>, values: readonly unknown[]): void;
}

/** A statement with its values. */
export interface Call<Row> {
  statement: Statement<Row>;
  values: readonly unknown[];
}

/** Runs prepared statements, each of the three ways on a connection of its own. */
export interface Sessions extends Queryable {
  /**
   * Runs `work` on one connection, without a transaction. When a migration has just changed what a statement
   * answers, `work` runs again.
   */
  session<Result>(work: (on: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction on one connection; rolls back when it throws. `first` is sent together with BEGIN, so on
   * its own it must do no harm; a text is the request's id, and its traceparent after a space, which captured changes made inside carry. When a migration has
   * just changed what a statement answers, all of it runs again.
   */
  transaction<Result, Row = never>(
    first: Call<Row> | string | undefined,
    work: (tx: Transaction, found: Row[]) => Promise<Result>,
  ): Promise<Result>;
}

/** A database as prepared statements reach it. */
export interface Database extends Sessions {
  readonly pool: pg.Pool;
  /**
   * Its sessions for work that is unwanted once `left` is gone: a statement that runs is canceled, no other is sent,
   * and `UnwantedError` is thrown. A transaction is rolled back.
   */
  until(left: Leaving): Sessions;
  /** Waits for what is under way and closes every connection. */
  close(): Promise<void>;
}

/** How to reach the database. */
export interface DatabaseOptions {
  url: string;
  /** The kind of work whose limits hold; a command by default. */
  work?: WorkKind;
  /** Connections at most, instead of the kind's. */
  poolSize?: number;
  /** Shown in pg_stat_activity; begins with `comanda`, with which guards recognize the service. */
  applicationName?: string;
  /** A connection that waits longer for an answer is broken; 5 s more than a statement may run unless said. */
  abandonMs?: number;
  /**
   * Statements get no names: behind a pooler in transaction mode each transaction may be on another connection. The settings
   * that values depend on are set by a statement: the role has to have those that the pooler does not keep for its client.
   */
  unnamed?: boolean;
  /** Called when an idle connection breaks. */
  onError?(error: Error): void;
}

/** Opens the pool; connects when the first statement runs. */
export function openDatabase(options: DatabaseOptions): Database {
  const limits = workLimits[options.work ?? 'command'];
  const { options: settings, ...session } = sessionNamed(options.url, options.applicationName ?? 'comanda');
  const pool = openPool(
    {
      ...session,
      max: options.poolSize ?? limits.connections,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      connectionTimeoutMillis: limits.waitMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // Statements are sent at once where no caller waits for an answer in between.
      pipeline: true,
      // Estimates depend on no value (docs/design/database.md, "Plans"), and wanted pages are in memory. A plan with a forbidden
      // node (enable_sort) counts as enormous before PostgreSQL 18: to compile it costs far more than to run it. A
      // pooler refuses such options.
      ...(options.unnamed !== true && {
        options: `-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c jit=off ${settings}`,
      }),
    },
    { ...silence, abandonMs: options.abandonMs ?? limits.statementMs + silence.abandonMarginMs },
    options.unnamed === true ? (client) => client.query(setSessionSettings) : undefined,
  );
  const onError = options.onError ?? (() => {});
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  withstandExhaustion(pool);
  const runOn = options.unnamed ? runUnnamed : runNamed;
  const begin = async <Row>(client: pg.PoolClient, first: Call<Row> | string | undefined): Promise<Row[]> => {
    const begun = client.query('BEGIN');
    const call = typeof first === 'string' ? requestOf(first) : first;
    const [found] = await Promise.all([call && runOn(client, call.statement, call.values), begun]);
    return found ?? [];
  };
  const inTransaction = async <Result, Row>(
    client: pg.PoolClient,
    first: Call<Row> | string | undefined,
    work: (tx: Transaction, found: Row[]) => Promise<Result>,
    wanted?: Wanted,
  ): Promise<Result> => {
    const sent: Promise<unknown>[] = [];
    let firstFailure: unknown;
    const run: Transaction['run'] = (statement, values) => {
      wanted?.check();
      const done = runOn(client, statement, values);
      done.catch((error) => {
        firstFailure ??= error;
      });
      return done;
    };
    const send: Transaction['send'] = (statement, values) => {
      sent.push(run(statement, values));
    };
    try {
      const found = await begin(client, first);
      const result = await work({ run, send }, found);
      // A failure of a statement sent before it makes a rollback of it.
      await Promise.all([...sent, client.query('COMMIT')]);
      return result;
    } catch (error) {
      await wanted?.settled();
      // Where this fails the connection is gone, and the pool lets go of it.
      await client.query('ROLLBACK').catch(() => {});
      const failed = (await Promise.allSettled(sent)).find((outcome) => outcome.status === 'rejected');
      const reported = failed?.reason ?? error;
      // After one statement failed, those sent behind it only report that the transaction is aborted.
      throw isState(reported, 'aborted') ? (firstFailure ?? reported) : reported;
    }
  };
  const sessions: Sessions = {
    run: (statement, values) => onConnection(pool, (client) => runOn(client, statement, values)),
    session: (work) =>
      onConnection(pool, (client) => work({ run: (statement, values) => runOn(client, statement, values) })),
    transaction: (first, work) => onConnection(pool, (client) => inTransaction(client, first, work)),
  };
  const wantedUntil = (left: Leaving): Sessions => {
    const session: Sessions['session'] = (work) =>
      onConnection(pool, (client) =>
        whileWanted(client, left, ({ check }) =>
          work({
            async run(statement, values) {
              check();
              return runOn(client, statement, values);
            },
          }),
        ),
      );
    return {
      session,
      run: (statement, values) => session((on) => on.run(statement, values)),
      transaction: (first, work) =>
        onConnection(pool, (client) =>
          whileWanted(client, left, async (wanted) => {
            wanted.check();
            return inTransaction(client, first, work, wanted);
          }),
        ),
    };
  };
  return {
    pool,
    ...sessions,
    until: wantedUntil,
    async close() {
      if (!pool.ended) await pool.end();
    },
  };
}

const setRequestId = statement<never>('set_request_id', `select set_config('comanda.request_id', $1, true)`);
const requestOf = (id: string): Call<never> => ({ statement: setRequestId, values: [id] });

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
