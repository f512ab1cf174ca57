import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A migration as it stands on disk. */
export interface Migration {
  /** Its folder: `<UTC stamp>_<what it does>`. */
  name: string;
  sql: string;
  /** sha256 of the file, in hex. */
  checksum: string;
}

/** What the database says about one migration that was not rolled back. */
export interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
  logs: string | null;
}

/** A database that cannot be migrated as it stands; the message says what to do about it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
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
 * The migrations that the database lacks; tells `log` of those that only the database knows.
 * @throws {MigrationError} one failed earlier, its file has changed since it was applied, or it is older than the first file.
 */
export function pendingMigrations(
  files: readonly Migration[],
  history: readonly HistoryRow[],
  log: (line: string) => void,
): Migration[] {
  const old = history.find(({ migration_name: name }) => name < (files[0]?.name ?? ''));
  if (old !== undefined) throw new MigrationError(madeBeforeTheFirst(old.migration_name));
  const pending = new Map(files.map((file) => [file.name, file]));
  for (const { migration_name: name, checksum, finished, logs } of history) {
    if (!finished) throw new MigrationError(failedEarlier(name, logs));
    const file = pending.get(name);
    pending.delete(name);
    if (file === undefined)
      log(`warning: the database has migration ${name}, which this version of the code does not know`);
    else if (!checksums(file).includes(checksum))
      throw new MigrationError(
        `migration ${name} was changed after it was applied: restore its migration.sql and write a new migration instead`,
      );
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
    'When its cause is mended and what it may have left behind is undone, let it run again with:',
    `  update _prisma_migrations set rolled_back_at = now() where migration_name = '${name}' and finished_at is null;`,
  ].join('\n');
}

// As Prisma: a checkout with other line endings is the same file.
function checksums({ sql, checksum }: Migration): string[] {
  const unix = sql.replaceAll('\r\n', '\n');
  return [checksum, sha256(unix), sha256(unix.replaceAll('\n', '\r\n'))];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
