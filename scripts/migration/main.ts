import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../packages/db/src/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { note, say } from '../../packages/db/src/terminal.ts';
import { createRunDirectory } from '../../tests/support/run-directory.ts';
import { schemaDifference } from '../../tests/support/schema-engine.ts';
import { openTestServer, quoteName, runOnce, urlOfDatabase } from '../../tests/support/server.ts';
import { collated } from './collated.ts';

const migrations = join(repositoryRoot, 'prisma', 'migrations');
const usage = 'usage: npm run migration -- <name>   (lower-case words, joined by _)';

/**
 * Applies the migrations so far to a throw-away database, compares it with schema.prisma and writes what
 * is missing to `prisma/migrations/<UTC stamp>_<name>/migration.sql`, to be read and added to by hand.
 * Gives the exit code: 0 also when nothing is missing.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || rest.length > 0 || !/^[a-z][a-z0-9_]*$/.test(name)) {
    note(usage);
    return 1;
  }
  const sql = await missingSql();
  if (sql === '') {
    say('schema.prisma and the migrations agree: nothing to write');
    return 0;
  }
  const folder = `${nextStamp(new Date())}_${name}`;
  mkdirSync(join(migrations, folder));
  writeFileSync(join(migrations, folder, 'migration.sql'), sql);
  say([`prisma/migrations/${folder}/migration.sql`, '', ...sql.split('\n')]);
  return 0;
}

async function missingSql(): Promise<string> {
  const directory = createRunDirectory();
  const server = await openTestServer(directory);
  try {
    const database = `${server.prefix}_migration`;
    await runOnce(server.adminUrl, `create database ${quoteName(database)}`);
    const url = urlOfDatabase(server.adminUrl, database);
    await migrate(url, { directory: migrations });
    const schema = readFileSync(join(repositoryRoot, 'prisma/schema.prisma'), 'utf8');
    return collated(await schemaDifference(url, schema));
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
