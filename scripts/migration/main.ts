import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { note, say } from '../../packages/db/src/terminal.ts';
import { createRunDirectory } from '../../tests/support/run-directory.ts';
import { schemaDifference } from '../../tests/support/schema-engine.ts';
import { openTestServer, quoteName, runOnce, urlOfDatabase } from '../../tests/support/server.ts';
import { collated } from './collated.ts';
import { writeMadeSql } from './made.ts';

const migrations = join(repositoryRoot, 'prisma', 'migrations');
const usage = 'usage: npm run migration -- <name>   (lower-case words, joined by _)';

/**
 * Applies the migrations so far to a throw-away database, compares it with schema.prisma and writes what
 * is missing to `prisma/migrations/<UTC stamp>_<name>/migration.sql`, to be read and added to by hand. Then writes what is
 * made of the table of tables (packages/db/src/tables) to `prisma/sql/made`.
 * Gives the exit code: 0 also when nothing is missing.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || rest.length > 0 || !/^[a-z][a-z0-9_]*$/.test(name)) {
    note(usage);
    return 1;
  }
  const made = await withMigrated(async (url) => {
    const schema = readFileSync(join(repositoryRoot, 'prisma/schema.prisma'), 'utf8');
    const sql = collated(await schemaDifference(url, schema));
    if (sql === '') {
      say('schema.prisma and the migrations agree: no migration to write');
    } else {
      const folder = `${nextStamp(new Date())}_${name}`;
      mkdirSync(join(migrations, folder));
      writeFileSync(join(migrations, folder, 'migration.sql'), sql);
      say([`prisma/migrations/${folder}/migration.sql`, '', ...sql.split('\n')]);
      await migrate(url, { directory: migrations });
    }
    return writeMadeSql(url);
  });
  for (const path of made) say(path);
  return 0;
}

/** Runs `work` on a throw-away database that has the migrations so far. */
export async function withMigrated<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const directory = createRunDirectory();
  const server = await openTestServer(directory);
  try {
    const database = `${server.prefix}_migration`;
    await runOnce(server.adminUrl, `create database ${quoteName(database)}`);
    const url = urlOfDatabase(server.adminUrl, database);
    await migrate(url, { directory: migrations });
    return await work(url);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Now as YYYYMMDDhhmmss, or one more than the newest migration: the order of names is the order to apply. */
function nextStamp(now: Date): string {
  const stamp = now.toISOString().replace(/\D/g, '').slice(0, 14);
  const newest = readdirSync(migrations)
    .map((entry) => Number(/^\d{14}(?=_)/.exec(entry)?.[0] ?? 0))
    .reduce((a, b) => Math.max(a, b), 0);
  return String(Math.max(Number(stamp), newest + 1));
}
