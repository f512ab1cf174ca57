import type pg from 'pg';
import { openClient } from '../connection/hosts.ts';
import { ownRelease } from '../release/build.ts';
import { isBefore, readReleases } from '../release/history.ts';
import { readMigrations } from './files.ts';
import { foldersOf, type SchemaSources } from './migrate.ts';
import { type QueueState, readQueueState } from './queue.ts';
import { readSchemaState } from './schema-state.ts';
import { readSqlFolder } from './sql/folder.ts';
import { differing } from './sql/objects.ts';

/** The steps that `migrate` would take on a database in its present state. */
export interface MigrationPlan {
  queue: QueueState;
  /** The migrations that would be applied, in their order, with their SQL. */
  migrations: { name: string; sql: string }[];
  /** The functions, views and triggers that would be made, or made again. */
  objects: string[];
  /** The newer build whose functions, views and triggers are left as they are, and how many of them differ from ours. */
  newer?: { release: string; left: number };
  /** Migrations that only the database knows, from a newer version. */
  unknown: string[];
  /** Why `migrate` would refuse. */
  problem?: string;
}

/** Looks at a database as the role of `url`, and changes nothing. Throws what the database throws. */
export async function planMigration(url: string, sources: SchemaSources = {}): Promise<MigrationPlan> {
  const client = await openClient(url, 'comanda-migrate');
  try {
    await client.query('set search_path = public, internal');
    await client.query('set default_transaction_read_only = on');
    const { missing, unknown, problem } = await readSchemaState(client, sources);
    const objects = await pendingObjects(client, sources);
    const [latest] = await readReleases(client);
    const isOlder = latest !== undefined && isBefore(sources.release ?? ownRelease(), latest.release);
    return {
      queue: await readQueueState(client),
      migrations: readMigrations(foldersOf(sources).directory)
        .filter(({ name }) => missing.includes(name))
        .map(({ name, sql }) => ({ name, sql })),
      objects: isOlder ? [] : objects,
      ...(isOlder && { newer: { release: latest.release, left: objects.length } }),
      unknown,
      ...(problem !== undefined && { problem }),
    };
  } finally {
    await client.end();
  }
}

/** Whether there is anything to do. */
export const isUpToDate = ({ queue, migrations, objects, problem }: MigrationPlan): boolean =>
  queue.applied >= queue.latest && migrations.length === 0 && objects.length === 0 && problem === undefined;

async function pendingObjects(client: pg.Client, sources: SchemaSources): Promise<string[]> {
  const { sqlDirectory } = foldersOf(sources);
  if (sqlDirectory === undefined) return [];
  const { statements } = readSqlFolder(sqlDirectory);
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('internal.sql_objects') is not null as there`,
  );
  const pending = rows[0]?.there === true ? await differing(client, statements) : statements;
  return pending.map(({ identity }) => identity);
}
