import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { MigrationError } from '../migrations.ts';
import { repositoryRoot } from '../root.ts';
import { readStatements, refuseDoubles, type SqlStatement } from './statements.ts';

/** A file of SQL as it stands on disk. */
export interface SqlFile {
  name: string;
  /** From the root of the repository, where it stands in it. */
  path: string;
  /** With the line endings of unix. */
  text: string;
}

/** What a version wants the database to hold beside its data. */
export interface SqlFolder {
  hash: string;
  statements: readonly SqlStatement[];
}

/**
 * A folder, read and looked through.
 * @throws {MigrationError} it has no files, a statement is none of those that it may hold, or two make the same object.
 */
export function readSqlFolder(directory: string): SqlFolder {
  const files = readSqlFiles(directory);
  const statements = files.flatMap(({ path, text }) => readStatements(path, text));
  refuseDoubles(statements);
  return { hash: hashFiles(files), statements };
}

/**
 * The files of a folder that end on `.sql`, in the order of their names.
 * @throws {MigrationError} there are none.
 */
export function readSqlFiles(directory: string): SqlFile[] {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sql')) : [];
  if (names.length === 0) throw new MigrationError(`${directory} has no .sql files`);
  return names.sort().map((name) => {
    const path = join(directory, name);
    const inside = relative(repositoryRoot, path);
    const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    return { path: inside.startsWith('..') ? path : inside, name, text };
  });
}

/** What tells one state of a folder from another: sha256 over names and contents, in hex. */
export function hashFiles(files: readonly SqlFile[]): string {
  const contents = files.map(({ name, text }) => [name, text]);
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex');
}
