import pg from 'pg';
import type { RoleKind } from '../../packages/db/src/roles/access.ts';
import { openAs } from './roles.ts';
import { type Sql, sqlOf } from './sql.ts';
import { type Lifetime, useClosed } from './use.ts';

/** A person at psql: plain SQL through a session that is not the service's. */
export interface Hand {
  sql: Sql;
  /** The same in a transaction that has said a deed: `import: orders of 2019`. */
  deed<Row = Record<string, unknown>>(said: string, text: string, values?: unknown[]): Promise<Row[]>;
  /** Feeds lines to a `copy … from stdin`, and returns how many rows it wrote. */
  copy(text: string, lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Opens a session for manual edits of a database, as its owner unless another role is given. */
export async function openHand(url: string, role: RoleKind = 'owner'): Promise<Hand> {
  const client = await openAs(url, role);
  return {
    sql: sqlOf(client),
    deed: (said, text, values) => inTransaction(client, said, text, values),
    copy: (text, lines) => copyIn(client, text, lines),
    close: () => client.end(),
  };
}

/** One for the tests of a file, at the given database, or a new one for each test. */
export const useHand = (
  at: { databaseUrl: string } | { url: string },
  { role, lifetime }: { role?: RoleKind; lifetime?: Lifetime } = {},
): Hand => useClosed(() => openHand('databaseUrl' in at ? at.databaseUrl : at.url, role), lifetime);

/** The reply of a query of pg to the connection when the server asks for the rows of a COPY. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Feeds lines to a `copy … from stdin` of a session, and returns how many rows it wrote. */
export function copyIn(client: pg.Client, text: string, lines: readonly string[]): Promise<number> {
  class CopyIn extends pg.Query {
    handleCopyInResponse(connection: CopyConnection): void {
      connection.sendCopyFromChunk(Buffer.from(lines.map((line) => `${line}\n`).join('')));
      connection.endCopyFrom();
    }
  }
  return new Promise((resolve, reject) => {
    client.query(
      new CopyIn({ text })
        .on('end', ({ rowCount }: pg.QueryResult) => resolve(rowCount ?? 0))
        .on('error', reject),
    );
  });
}

/** Runs one statement as the owner, in a transaction that has said a deed. */
export async function underDeed<Row = Record<string, unknown>>(
  pool: pg.Pool,
  said: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = await openAs(pool.options.connectionString ?? '', 'owner');
  try {
    return await inTransaction<Row>(client, said, text, values);
  } finally {
    await client.end();
  }
}

async function inTransaction<Row>(
  client: pg.ClientBase,
  said: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  await client.query('begin');
  try {
    await client.query(`select deed($1)`, [said]);
    const { rows } = await client.query(text, values);
    await client.query('commit');
    return rows as Row[];
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
