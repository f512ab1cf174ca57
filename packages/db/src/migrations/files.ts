import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownChecksum } from '../release/history.ts';
import { MigrationError } from '../release/migration-error.ts';

/** A migration as it is on disk. */
export interface Migration {
  /** Its folder: `<UTC stamp>_<what it does>`. */
  name: string;
  sql: string;
  /** sha256 of the file, in hex. */
  checksum: string;
}

/** The database's record of one migration that was not rolled back. */
export interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
  logs: string | null;
}

/**
 * The migrations of a folder in the order of their names.
 * @throws {MigrationError} a migration has no migration.sql.
 */
export function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const file = join(directory, name, 'migration.sql');
      if (!existsSync(file)) throw new MigrationError(`${join(directory, name)} has no migration.sql`);
      const sql = readFileSync(file, 'utf8');
      return { name, sql, checksum: sha256(sql) };
    });
}

/**
 * The migrations that the database lacks; logs those that only the database knows to `log`. `known` shows, where a file
 * and its row differ, which of the two was changed.
 * @throws {MigrationError} one failed earlier, its file or row has changed since, or it is older than the first file.
 */
export function pendingMigrations(
  files: readonly Migration[],
  history: readonly HistoryRow[],
  known: readonly KnownChecksum[],
  log: (line: string) => void,
): Migration[] {
  const old = history.find(({ migration_name: name }) => name < (files[0]?.name ?? ''));
  if (old !== undefined) throw new MigrationError(madeBeforeTheFirst(old.migration_name));
  const pending = new Map(files.map((file) => [file.name, file]));
  for (const { migration_name: name, checksum, finished, logs } of history) {
    if (!finished) throw new MigrationError(failedEarlier(name, logs), { mendable: true });
    const file = pending.get(name);
    pending.delete(name);
    if (file === undefined)
      log(`warning: the database has migration ${name}, which this version of the code does not know`);
    else if (!hasChecksum(file, checksum))
      throw new MigrationError(changedAfterwards(file, checksum, known), { mendable: true });
  }
  return [...pending.values()];
}

/** Whether it makes or drops something CONCURRENTLY, which Postgres allows in no transaction. */
export function isConcurrent(migration: Migration): boolean {
  return /\bconcurrently\b/i.test(withoutComments(migration));
}

/** Its statements one by one; for migrations without function bodies and without semicolons in texts. */
export function statementsOf(migration: Migration): string[] {
  return withoutComments(migration)
    .split(';')
    .map((sql) => sql.trim())
    .filter((sql) => sql !== '');
}

const withoutComments = ({ sql }: Migration): string => sql.replaceAll(/--.*$/gm, '');

const madeBeforeTheFirst = (name: string): string =>
  `the database was made by a version before the first release (it has migration ${name}): start with an empty one, for the embedded database by moving DATA_DIR away`;

function failedEarlier(name: string, logs: string | null): string {
  return [
    `migration ${name} failed earlier${logs === null ? '' : `: ${logs}`}`,
    'When its cause is repaired and what it may have left behind is undone, let it run again with:',
    `  update _prisma_migrations set rolled_back_at = now() where migration_name = '${name}' and finished_at is null;`,
  ].join('\n');
}

/** Whether its file is as the release had it that applied it, by what the database remembers of that. */
export function isAsReleased(file: Migration, known: readonly KnownChecksum[]): boolean {
  return known.some(({ name, checksum }) => name === file.name && hasChecksum(file, checksum));
}

function changedAfterwards(file: Migration, applied: string, known: readonly KnownChecksum[]): string {
  const { name, checksum } = file;
  const path = `prisma/migrations/${name}/migration.sql`;
  const release = known.find((row) => row.name === name);
  const mendRow = [
    `  update _prisma_migrations set checksum = '${checksum}' where migration_name = '${name}';`,
    '  (comanda doctor --repair does it where the file is as released)',
  ];
  if (release !== undefined && isAsReleased(file, known))
    return [
      `the row of migration ${name} in _prisma_migrations was changed after it was applied; ${path} is as release ${release.release} shipped it. Set the row right:`,
      ...mendRow,
    ].join('\n');
  const restore = `restore ${path}, and write a new migration for the change`;
  if (release?.checksum === applied)
    return `migration ${name} was changed after it was applied: the row in _prisma_migrations is as release ${release.release} left it, and the file differs: ${restore}`;
  return [
    `migration ${name} was changed after it was applied: its file and its row in _prisma_migrations differ, and neither is known to be right. If the file was changed, ${restore}. If it is what the release shipped, set the row right:`,
    mendRow[0],
  ].join('\n');
}

/** Whether a file has this checksum. As Prisma: a checkout with other line endings is the same file. */
export function hasChecksum({ sql, checksum }: Migration, wanted: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [checksum, sha256(unix), sha256(unix.replaceAll('\n', '\r\n'))].includes(wanted);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
