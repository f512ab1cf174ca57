import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { MigrationError } from '../../release/migration-error.ts';
import { repositoryRoot } from '../../root.ts';
import { readStatements, refuseDoubles, type SqlStatement } from './statements.ts';

/** The objects that a version wants the database to hold in addition to its data. */
export interface SqlFolder {
  /** The digest of the folder's state: sha256 over names and contents, in hex. */
  hash: string;
  statements: readonly SqlStatement[];
}

/** The folder in it for SQL that is generated. */
const made = 'made';

/**
 * The `.sql` files of a folder and of `made` in it, in the order of their names, read with Unix line endings.
 * @throws {MigrationError} there are none, a file breaks the rule of `readStatements`, or two statements make one object.
 */
export function readSqlFolder(directory: string): SqlFolder {
  const names = [...namesIn(directory), ...namesIn(join(directory, made)).map((name) => `${made}/${name}`)];
  if (names.length === 0) throw new MigrationError(`${directory} has no .sql files`);
  const inside = relative(repositoryRoot, directory);
  const shown = inside.startsWith('..') ? directory : inside;
  const files = names
    .sort()
    .map((name) => [name, readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n')] as const);
  const statements = files.flatMap(([name, text]) => readStatements(join(shown, name), text));
  refuseDoubles(statements);
  return { hash: createHash('sha256').update(JSON.stringify(files)).digest('hex'), statements };
}

const namesIn = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sql')) : [];
