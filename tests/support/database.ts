import { randomBytes } from 'node:crypto';
import { type Database, type DatabaseOptions, openDatabase } from '@comanda/db';
import { inject } from 'vitest';
import { urlAs } from './roles.ts';
import { quoteName, runOnce, urlOfDatabase } from './server.ts';
import { use, useClosed } from './use.ts';

/** A database of a test's own. */
export interface TestDatabase {
  /** As the service; `roleUrl` gives the same as another role. */
  url: string;
  /** As who may do everything in the cluster. */
  superuserUrl: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A clone of the migrated template, graphile-worker's schema included. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(inject('templateDatabase'));
}

/** One for the tests of a file. */
export const useTestDatabase = (): TestDatabase => use(createTestDatabase, (own) => own.drop());

/** Our connections to a test's database, for the tests of a file. */
export const useDatabase = (
  own: Pick<TestDatabase, 'url'>,
  options: Omit<DatabaseOptions, 'url'> = {},
): Database => useClosed(async () => openDatabase({ url: own.url, ...options }));

/** A database without any of our tables; its URL is of one role that does everything. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await create();
  return { ...database, url: database.superuserUrl };
}

/** The same database as the superuser of the cluster: for statements that none of our roles may run. */
export const superuserUrl = (url: string): string =>
  urlOfDatabase(inject('adminUrl'), new URL(url).pathname.slice(1));

async function create(template?: string): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl');
  if (adminUrl === undefined) throw new Error('this folder runs without a database (vitest.config.ts)');
  const name = `${inject('databasePrefix')}_${randomBytes(6).toString('hex')}`;
  const prefix = inject('databasePrefix');
  const from = template === undefined ? '' : ` template ${quoteName(template)}`;
  await runOnce(adminUrl, `create database ${quoteName(name)}${from} owner ${prefix}_owner`);
  const superuserUrl = urlOfDatabase(adminUrl, name);
  return {
    url: urlAs(superuserUrl, prefix, 'service'),
    superuserUrl,
    drop: () => runOnce(adminUrl, `drop database if exists ${quoteName(name)} with (force)`),
  };
}
