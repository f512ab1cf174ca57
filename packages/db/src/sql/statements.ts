import { createHash } from 'node:crypto';
import { MigrationError } from '../migrations.ts';
import { identityOf, type ObjectName, spelled } from './identity.ts';
import { type RawStatement, splitStatements } from './lexer.ts';

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
    const refuse = (reason: string): never => {
      throw new MigrationError(`${file}:${raw.line}: ${reason}`);
    };
    const { constraint, ddl, ...name } = read(raw, refuse);
    const checksum = createHash('sha256').update(raw.sql).digest('hex');
    return { ...name, identity: identityOf(name), ddl, constraint, checksum, file, line: raw.line };
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

/** What the statement makes, and how it is made where there is one already. */
function read(
  { sql, tokens }: RawStatement,
  refuse: (reason: string) => never,
): ObjectName & Pick<SqlStatement, 'constraint' | 'ddl'> {
  const words = tokens.map(({ kind, value }) => (kind === 'word' ? value : ''));
  if (words[0] === 'grant' && words.includes('to'))
    return { kind: 'grant', name: tokens.slice(1).map(spelled).join(' '), constraint: false, ddl: sql };
  const replaces = words[1] === 'or' && words[2] === 'replace';
  const start = replaces ? 3 : 1;
  const constraint = words[start] === 'constraint';
  const at = constraint ? start + 1 : start;
  const kind = kinds.find((each) => each === words[at]);
  if (words[0] !== 'create' || kind === undefined || (constraint && kind !== 'trigger')) {
    const shown = tokens.slice(0, 3).map(({ value }) => value.toUpperCase());
    return refuse(`${shown.join(' ')} ${notHere}`);
  }
  if (words.some((word, index) => word === 'begin' && words[index + 1] === 'atomic'))
    return refuse('write the body of a function in dollar quotes: BEGIN ATOMIC is not read');
  const nameAt = (index: number): string => {
    const token = index > 0 ? tokens[index] : undefined;
    if (token?.kind !== 'word' && token?.kind !== 'name') return refuse('a name is missing');
    if (tokens[index + 1]?.value !== '.') return token.value;
    return refuse(`${token.value}: names stand here without their schema`);
  };
  const name = nameAt(at + 1);
  const rest = sql.slice(tokens[start - 1]?.end);
  return {
    ...{ kind, name, constraint },
    ...(kind === 'trigger' && { table: nameAt(words.indexOf('on', at + 2) + 1) }),
    ddl: replaces === !constraint ? sql : `create${constraint ? '' : ' or replace'}${rest}`,
  };
}

const kinds = ['function', 'procedure', 'view', 'trigger'] as const;

const notHere =
  'is not for this folder, which holds CREATE FUNCTION, PROCEDURE, VIEW and TRIGGER, and GRANT … TO';
