import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { urlAs } from './roles.ts';
import { quoteName, runOnce, urlOfDatabase } from './server.ts';

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
  return create(` template ${quoteName(inject('templateDatabase'))}`);
}

/** A database without any of our tables; its URL is of one role that does everything. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await create('');
  return { ...database, url: database.superuserUrl };
}

/** The same database as who may do everything in the cluster: for what no role of ours may do. */
export const superuserUrl = (url: string): string =>
  urlOfDatabase(inject('adminUrl'), new URL(url).pathname.slice(1));

async function create(from: string): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl');
  const name = `${inject('databasePrefix')}_${randomBytes(6).toString('hex')}`;
  const prefix = inject('databasePrefix');
  await runOnce(adminUrl, `create database ${quoteName(name)}${from} owner ${prefix}_owner`);
  const superuserUrl = urlOfDatabase(adminUrl, name);
  return {
    ...{ url: urlAs(superuserUrl, prefix, 'service'), superuserUrl },
    drop: () => runOnce(adminUrl, `drop database if exists ${quoteName(name)} with (force)`),
  };
}
