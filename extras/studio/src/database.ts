import { setLocally } from '@comanda/db';
import pg from 'pg';
import { type Refusal, refusalOf } from './refusals.ts';
import { type FoundTable, readTables, type StudioTable, studioTables } from './schema.ts';

/** A statement as Studio's page sends it. */
export interface Query {
  sql: string;
  parameters?: readonly unknown[];
  /** Of an edit: the values that the grid showed, by column. */
  seen?: unknown;
}

/** A query as it runs. */
export interface Step extends Query {
  /** Given, the query only looks: why the transaction ends here, or undefined. Its rows are not answered. */
  refuses?(rows: readonly unknown[]): string | undefined;
}

/** The database as one admin sees it. */
export interface StudioDatabase {
  /** Runs statements in one transaction; the rows of each, or why all of it was refused. */
  run(steps: readonly Step[]): Promise<{ rows: unknown[][] } | { refusal: Refusal }>;
  /** The page's description of tables and views. */
  tables(): Promise<StudioTable[]>;
  close(): Promise<void>;
}

/** How Studio works there. */
export interface StudioSession {
  url: string;
  /** Under which the audit keeps what is edited. */
  name: string;
  /** Taken where there is one: where the roles are apart. */
  role: string | null;
  readOnly: boolean;
}

/** Opens it; throws what the database throws. */
export async function openStudioDatabase(session: StudioSession): Promise<StudioDatabase> {
  const { readOnly, role } = session;
  const named = new URL(session.url);
  // One in the URL would win: by a name that begins with comanda guards may know the service.
  named.searchParams.set('application_name', session.name);
  const pool = new pg.Pool({
    connectionString: named.href,
    types: { getTypeParser },
    max: 4,
    idleTimeoutMillis: 10_000,
  });
  pool.on('error', () => {});
  // By each transaction: a session's settings could be another's behind a pooler.
  const begin = [
    `begin ${readOnly ? 'read only' : 'read write'}`,
    ...(role === null ? [] : [`set role ${pg.escapeIdentifier(role)}`]),
    `set local statement_timeout = '30s'`,
    `set local lock_timeout = '5s'`,
    ...setLocally,
  ].join('; ');
  const inTransaction = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('commit');
      // Settings of a statement of the console would hold for the next one.
      await client.query('reset all');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback; reset all').then(
        () => client.release(),
        () => client.release(true),
      );
      throw error;
    }
  };

  return {
    async run(steps) {
      try {
        const rows = await inTransaction(async (client) => {
          const results: unknown[][] = [];
          for (const { sql, parameters = [], refuses } of steps) {
            const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql, [...parameters]);
            // Several statements of the console: the last one is shown.
            const found = (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
            const why = refuses?.(found);
            if (why !== undefined) throw new RefusedEdit(why);
            if (refuses === undefined) results.push(found);
          }
          return results;
        });
        return { rows };
      } catch (error) {
        if (error instanceof RefusedEdit) return { refusal: { name: 'Refused', message: error.message } };
        return { refusal: refusalOf(error, { readOnly }) };
      }
    },
    tables: async () =>
      studioTables(
        await inTransaction(async (client) => (await client.query<FoundTable>(readTables)).rows),
        readOnly,
      ),
    close: () => pool.end(),
  };
}

/** An edit of values that are no longer what the grid showed. */
class RefusedEdit extends Error {}

const textual = [
  pg.types.builtins.BYTEA,
  pg.types.builtins.DATE,
  pg.types.builtins.TIMESTAMP,
  pg.types.builtins.INTERVAL,
];

/** Bytes, dates and times of no zone as PostgreSQL writes them: JSON would make objects and other days of them. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  return textual.includes(type) ? (value: string) => value : pg.types.getTypeParser(type, format);
}
