import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Sql, sqlBy } from '../support/sql.ts';

/** A folder of migrations and a database that they are applied to, new for each test. */
export interface MigrationsFolder {
  url(): string;
  /** The folder, or a file in it. */
  path(...names: string[]): string;
  /** Writes a migration. */
  write(name: string, sql: string): void;
  /** Applies what is missing. */
  run(options?: Parameters<typeof migrate>[1]): Promise<{ applied: string[] }>;
  /** Runs a statement on one connection next to it. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  select: Sql;
}

/** Makes both before each test of the file, and removes them after it. */
export function useMigrations(): MigrationsFolder {
  let database: TestDatabase;
  let directory: string;
  let client: pg.Client;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    directory = mkdtempSync(join(tmpdir(), 'comanda-migrations-'));
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
    rmSync(directory, { recursive: true });
  });
  return {
    url: () => database.url,
    path: (...names) => join(directory, ...names),
    write(name, sql) {
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, 'migration.sql'), sql);
    },
    async run(options = {}) {
      const { applied } = await migrate(database.url, { directory, ...options });
      return { applied };
    },
    query: (sql, values) => client.query(sql, values),
    select: sqlBy(async (text, values) => (await client.query(text, values)).rows),
  };
}
