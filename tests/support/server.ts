import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { forgetful, startEmbedded } from '../../packages/embedded/src/server.ts';
import { roleUrl } from './roles.ts';
import { noteProcess } from './run-directory.ts';
import { withClient } from './sql.ts';

/** The PostgreSQL that the tests of one run share. */
export interface TestServer {
  /** Connection string of a database from which others can be made. */
  adminUrl: string;
  /** The prefix of the name of every database of this run. */
  prefix: string;
  /** Ends the server, or leaves a server that was there as it was found. */
  stop(): Promise<void>;
}

/**
 * Starts an embedded server in `directory`, or uses the one that TEST_DATABASE_URL names (an
 * administrator's URL, PostgreSQL 15 or later), so that the same tests run against either.
 */
export async function openTestServer(directory: string): Promise<TestServer> {
  const prefix = `comanda_test_${randomBytes(4).toString('hex')}`;
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { adminUrl: given, prefix, stop: () => dropDatabases(given, prefix) };
  const settings = { ...forgetful, max_connections: '300' };
  const server = await startEmbedded({ dataDir: join(directory, 'postgres'), settings });
  const postmaster = readFileSync(join(directory, 'postgres/postgres/data/postmaster.pid'), 'utf8');
  const ended = noteProcess(directory, Number(postmaster.split('\n')[0]));
  return {
    adminUrl: server.url,
    prefix,
    async stop() {
      await server.stop();
      ended();
    },
  };
}

/**
 * Runs one statement on its own connection, as the owner where the URL is the service's. Names cannot be parameters: use
 * `quoteName`.
 */
export async function runOnce(url: string, sql: string): Promise<void> {
  await withClient(roleUrl(url, 'owner'), (client) => client.query(sql), 'comanda-test');
}

/** The same server, another database. */
export function urlOfDatabase(url: string, name: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.href;
}

/** A name of the database as SQL. */
export const quoteName = (name: string): string => pg.escapeIdentifier(name);

async function dropDatabases(adminUrl: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows)
      await client.query(`drop database if exists ${quoteName(datname)} with (force)`);
    const roles = await client.query<{ rolname: string }>(
      'select rolname from pg_roles where starts_with(rolname, $1)',
      [prefix],
    );
    for (const { rolname } of roles.rows) await client.query(`drop role ${quoteName(rolname)}`);
  } finally {
    await client.end();
  }
}
