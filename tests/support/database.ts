import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { quoteName, runOnce, urlOfDatabase } from './server.ts';

/** A database of a test's own. */
export interface TestDatabase {
  url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A clone of the migrated template, graphile-worker's schema included. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(` template ${quoteName(inject('templateDatabase'))}`);
}

/** A database without any of our tables. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create('');
}

async function create(from: string): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl');
  const name = `${inject('databasePrefix')}_${randomBytes(6).toString('hex')}`;
  await runOnce(adminUrl, `create database ${quoteName(name)}${from}`);
  return {
    url: urlOfDatabase(adminUrl, name),
    drop: () => runOnce(adminUrl, `drop database if exists ${quoteName(name)} with (force)`),
  };
}
