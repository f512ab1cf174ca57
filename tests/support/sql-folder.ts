import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Migrated, type MigrateOptions, migrate } from '../../packages/db/src/migrations/migrate.ts';
import { createTestDatabase } from './database.ts';
import { roleUrl } from './roles.ts';
import { type Sql, sqlOf } from './sql.ts';

/** A database of our tables in which nothing of `prisma/sql` is remembered, and a folder of SQL of a test's own. */
export interface SqlFolderKit {
  url: string;
  directory: string;
  client: pg.Client;
  /** Writes files by their names without `.sql`, as `pots` and `made/pots`; null removes one. */
  write(files: Readonly<Record<string, string | null>>): void;
  /** Applies the folder, as release 1.0.0 unless said. */
  apply(options?: MigrateOptions): Promise<Migrated>;
  select: Sql;
  close(): Promise<void>;
}

export async function openSqlFolder(): Promise<SqlFolderKit> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'comanda-sql-'));
  mkdirSync(join(directory, 'made'));
  const url = roleUrl(database.url, 'owner');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `begin; select deed('migration: a test has a folder of its own');
     delete from internal.sql_objects; delete from internal.sql_releases; commit`,
  );
  return {
    url,
    directory,
    client,
    write(files) {
      for (const [name, sql] of Object.entries(files)) {
        const path = join(directory, `${name}.sql`);
        if (sql === null) rmSync(path);
        else writeFileSync(path, sql);
      }
    },
    apply: (options) => migrate(url, { sqlDirectory: directory, release: '1.0.0', ...options }),
    select: sqlOf(client),
    async close() {
      await client.end();
      await database.drop();
      rmSync(directory, { recursive: true });
    },
  };
}
