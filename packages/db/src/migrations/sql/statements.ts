import { createHash } from 'node:crypto';
import { MigrationError } from '../../release/migration-error.ts';
import { identityOf, type ObjectName, objectKinds } from './identity.ts';

/** A statement that makes one object. */
export interface SqlStatement extends ObjectName {
  identity: string;
  /** The statement to run: CREATE OR REPLACE, except for constraint triggers, which cannot be replaced. */
  ddl: string;
  constraint: boolean;
  /** sha256 of the statement as it is written, without its semicolon, in hex. */
  checksum: string;
  /** Where it is written; the line begins with 1. */
  file: string;
  line: number;
}

// The rule of this folder, used instead of a parser of SQL.
const rule =
  'an object begins in the first column with CREATE FUNCTION, PROCEDURE, VIEW, TRIGGER or CONSTRAINT TRIGGER in capitals and a plain name, without OR REPLACE and without a schema, and ends with a line that ends in a semicolon outside of dollar quotes; between objects there may only be comments (--)';
const beginning =
  /^CREATE (CONSTRAINT TRIGGER|FUNCTION|PROCEDURE|VIEW|TRIGGER) ([a-z_][a-z0-9_]*)(?=[\s(]|$)/;
const skipped = /^\s*(--|$)/;
const dollarQuote = /\$(?:[a-z_]\w*)?\$/gi;
const ending = /\s*;\s*$/;
const tableOfTrigger = /\sON\s+([a-z_][a-z0-9_]*)(?=\s|$)/;

/**
 * The statements of a file, one for each object.
 * @throws {MigrationError} a line belongs to no object, or an object has no end; the message names the file and the line.
 */
export function readStatements(file: string, text: string): SqlStatement[] {
  const lines = text.split('\n');
  const statements: SqlStatement[] = [];
  let start: number | undefined;
  let quote: string | undefined;
  for (const [index, line] of lines.entries()) {
    const begins = beginning.test(line);
    if (begins && start !== undefined)
      refuse(file, index, `"${shown(line)}" begins before the object of line ${start + 1} has ended`);
    if (quote === undefined && skipped.test(line)) continue;
    if (!begins && start === undefined) refuse(file, index, `"${shown(line)}" belongs to no object`);
    start ??= index;
    for (const [mark] of line.matchAll(dollarQuote)) {
      if (quote === undefined) quote = mark;
      else if (quote === mark) quote = undefined;
    }
    if (quote !== undefined || !ending.test(line)) continue;
    const sql = lines.slice(start, index + 1).join('\n');
    statements.push(read(file, start, sql.replace(ending, '')));
    start = undefined;
  }
  if (start !== undefined) refuse(file, start, `"${shown(lines[start])}" has no end`);
  return statements;
}

/** Refuses statements that make the same object. @throws {MigrationError} naming both places. */
export function refuseDoubles(statements: readonly SqlStatement[]): void {
  const places = new Map<string, SqlStatement>();
  for (const statement of statements) {
    // Of functions and procedures only one may have a name, for any arguments.
    const { kind, name, identity, file, line } = statement;
    const key = kind === 'procedure' ? identityOf({ kind: 'function', name }) : identity;
    const first = places.get(key);
    if (first !== undefined)
      throw new MigrationError(
        `${file}:${line}: ${identity} is defined in ${first.file}:${first.line} already`,
      );
    places.set(key, statement);
  }
}

function read(file: string, start: number, sql: string): SqlStatement {
  const [, what = '', name = ''] = beginning.exec(sql) ?? [];
  const kind = objectKinds.find((each) => what.endsWith(each.toUpperCase())) ?? refuse(file, start, what);
  const constraint = what.startsWith('CONSTRAINT');
  const table = kind === 'trigger' ? tableOfTrigger.exec(sql)?.[1] : undefined;
  if (kind === 'trigger' && table === undefined)
    refuse(file, start, `trigger ${name} names no table: ON in capitals and a plain name`);
  const object: ObjectName = { kind, name, ...(table !== undefined && { table }) };
  return {
    ...object,
    identity: identityOf(object),
    ddl: constraint ? sql : sql.replace('CREATE', 'CREATE OR REPLACE'),
    constraint,
    checksum: createHash('sha256').update(sql).digest('hex'),
    file,
    line: start + 1,
  };
}

function refuse(file: string, index: number, reason: string): never {
  throw new MigrationError(`${file}:${index + 1}: ${reason}: ${rule}`);
}

const shown = (line = ''): string => (line.length > 60 ? `${line.slice(0, 60)}…` : line);
