import { createHash } from 'node:crypto';
import { MigrationError } from '../migrations.ts';
import { identityOf, type ObjectName, spelled } from './identity.ts';
import { type RawStatement, splitStatements, type Token } from './lexer.ts';

/** A statement that makes one object. */
export interface SqlStatement extends ObjectName {
  identity: string;
  /** What is run: CREATE OR REPLACE, but for constraint triggers, which cannot be replaced. */
  ddl: string;
  constraint: boolean;
  /** sha256 of the statement as it is written, in hex. */
  checksum: string;
  /** Where it is written; the line begins with 1. */
  file: string;
  line: number;
}

/**
 * The statements of a file.
 * @throws {MigrationError} one makes what this folder is not for; the message names the file and the line.
 */
export function readStatements(file: string, text: string): SqlStatement[] {
  return splitStatements(file, text).map((raw) => {
    const head = headOf(raw);
    if (typeof head === 'string') throw new MigrationError(`${file}:${raw.line}: ${head}`);
    const { replaces, constraint, ...name } = head;
    return {
      ...name,
      identity: identityOf(name),
      ddl: name.kind === 'grant' ? raw.sql : withReplace(raw, replaces, !constraint),
      constraint,
      checksum: createHash('sha256').update(raw.sql).digest('hex'),
      file,
      line: raw.line,
    };
  });
}

/** Refuses statements that make the same object. @throws {MigrationError} naming both places. */
export function refuseDoubles(statements: readonly SqlStatement[]): void {
  const places = new Map<string, SqlStatement>();
  for (const statement of statements) {
    // Of functions and procedures only one may bear a name, whatever its arguments.
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

interface Head extends ObjectName {
  replaces: boolean;
  constraint: boolean;
}

/** What the statement makes; a sentence when that is nothing for this folder. */
function headOf({ tokens }: RawStatement): Head | string {
  const words = tokens.map(({ kind, value }) => (kind === 'word' ? value : ''));
  if (words[0] === 'grant' && words.includes('to')) {
    const name = tokens.slice(1).map(spelled).join(' ');
    return { kind: 'grant', name, replaces: false, constraint: false };
  }
  const replaces = words[1] === 'or' && words[2] === 'replace';
  const start = replaces ? 3 : 1;
  const constraint = words[start] === 'constraint';
  const at = constraint ? start + 1 : start;
  const kind = (['function', 'procedure', 'view', 'trigger'] as const).find((each) => each === words[at]);
  if (words[0] !== 'create' || kind === undefined || (constraint && kind !== 'trigger'))
    return `${shownStart(tokens)} ${notHere}`;
  if (words.some((word, index) => word === 'begin' && words[index + 1] === 'atomic'))
    return 'write the body of a function in dollar quotes: BEGIN ATOMIC is not read';
  const name = nameAt(tokens, at + 1);
  if (kind !== 'trigger')
    return typeof name === 'string' ? name : { kind, name: name.value, replaces, constraint };
  const table = nameAt(tokens, words.indexOf('on', at + 2) + 1);
  if (typeof name === 'string') return name;
  if (typeof table === 'string') return table;
  return { kind, name: name.value, table: table.value, replaces, constraint };
}

const notHere =
  'is not for this folder, which holds CREATE FUNCTION, PROCEDURE, VIEW and TRIGGER, and GRANT … TO';

const shownStart = (tokens: readonly Token[]): string =>
  tokens
    .slice(0, 3)
    .map(({ value }) => value.toUpperCase())
    .join(' ');

function nameAt(tokens: readonly Token[], index: number): Token | string {
  const token = index > 0 ? tokens[index] : undefined;
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'name')) return 'a name is missing';
  if (tokens[index + 1]?.value === '.') return `${token.value}: names stand here without their schema`;
  return token;
}

function withReplace({ sql, tokens }: RawStatement, has: boolean, wanted: boolean): string {
  const [create, end] = [tokens[0]?.end, tokens[2]?.end];
  if (has === wanted || create === undefined || end === undefined) return sql;
  return wanted
    ? `${sql.slice(0, create)} or replace${sql.slice(create)}`
    : sql.slice(0, create) + sql.slice(end);
}
