import { MigrationError } from '../migrations.ts';

/** A piece of SQL that is neither space nor comment. */
export interface Token {
  /** A word is a key word or a plain name; a name stood in double quotes; a text in others. */
  kind: 'word' | 'name' | 'text' | 'sign';
  /** As Postgres understands it: a word in lower case, a name without its quotes. */
  value: string;
  /** Where it ends in its statement. */
  end: number;
}

/** One statement, without what stands before it and without its semicolon. */
export interface RawStatement {
  sql: string;
  /** The line that it begins in, from 1. */
  line: number;
  tokens: readonly Token[];
}

const tag = String.raw`(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?`;

// The first that fits at a place is what stands there.
const shapes = [
  ['space', /\s+|--[^\n]*/y],
  ['text', /[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'|'[^']*(?:''[^']*)*'/sy],
  ['text', new RegExp(String.raw`\$(${tag})\$.*?\$\1\$`, 'sy')],
  ['name', /"[^"]*(?:""[^"]*)*"/y],
  ['unended', new RegExp(String.raw`[eE]?'|"|/\*|\$${tag}\$`, 'y')],
  ['word', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*/y],
  ['sign', /./sy],
] as const;

/**
 * Splits SQL into statements at its semicolons, but for those in texts, names and comments.
 * @throws {MigrationError} a text, a name or a comment has no end; `file` is what the message calls the SQL.
 */
export function splitStatements(file: string, sql: string): RawStatement[] {
  const statements: RawStatement[] = [];
  let tokens: Token[] = [];
  let start = 0;
  const finish = (): void => {
    const end = start + (tokens.at(-1)?.end ?? 0);
    if (tokens.length > 0) statements.push({ sql: sql.slice(start, end), line: lineAt(sql, start), tokens });
    tokens = [];
  };
  for (let at = 0; at < sql.length; ) {
    const { shape, end } = pieceAt(sql, at);
    const piece = sql.slice(at, end);
    if (shape === 'unended')
      throw new MigrationError(`${file}:${lineAt(sql, at)}: what begins with ${piece} has no end`);
    if (piece === ';') finish();
    else if (shape !== 'space') {
      if (tokens.length === 0) start = at;
      tokens.push({ kind: shape, value: meant(shape, piece), end: end - start });
    }
    at = end;
  }
  finish();
  return statements;
}

type Shape = (typeof shapes)[number][0];

function pieceAt(sql: string, at: number): { shape: Shape; end: number } {
  const comment = endOfComment(sql, at);
  if (comment !== undefined) return { shape: 'space', end: comment };
  for (const [shape, pattern] of shapes) {
    pattern.lastIndex = at;
    if (pattern.test(sql)) return { shape, end: pattern.lastIndex };
  }
  return { shape: 'sign', end: at + 1 };
}

// Comments of this kind stand in each other.
function endOfComment(sql: string, at: number): number | undefined {
  if (!sql.startsWith('/*', at)) return undefined;
  let depth = 0;
  for (const { 0: mark, index } of sql.slice(at).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return at + index + 2;
  }
  return undefined;
}

function meant(shape: Shape, piece: string): string {
  if (shape === 'word') return piece.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return shape === 'name' ? piece.slice(1, -1).replaceAll('""', '"') : piece;
}

const lineAt = (sql: string, at: number): number => sql.slice(0, at).split('\n').length;
