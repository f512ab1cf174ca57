import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Term, terms } from './terms.ts';

/** A retired word where it is written. */
export interface Find {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly term: Term;
}

/** The files with text for people, below `root`, as paths from there. It asks no git: a copy of the tree has none. */
export function textFiles(root: string, kinds = /\.(md|tsx?|mjs|sql|prisma)$/, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || left.test(path)) return [];
    if (entry.isDirectory()) return textFiles(root, kinds, path);
    return kinds.test(entry.name) ? [path] : [];
  });
}

// Installed, built or generated; migrations, results and released notes are never edited; the terms quote what they retire.
const left =
  /(^|\/)(node_modules|dist|generated|built|results|devdata|coverage)$|^prisma\/migrations$|^tests\/rules\/(words$|plain-words)|^tests\/integrator\/files$/;

/** The room that a file is counted in: a package, a group of pages, or a folder at the root. */
export function roomOf(file: string): string {
  const [top = '', next = '', ...rest] = file.split('/');
  if (next === '') return 'pages at the root';
  if (top === 'packages') return `packages/${next}`;
  if (top === 'docs') return rest.length === 0 ? 'docs' : `docs/${next}`;
  return top;
}

/** The retired words of a file. Of code, comments and sentences in quotes count; code itself, in pages too, does not. */
export function findIn(root: string, file: string): Find[] {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = file.endsWith('.md') ? prose(text) : text.split('\n').map(spoken);
  return lines.flatMap((line, index) => {
    if (!anyWord.test(line)) return [];
    return terms.flatMap((term) => {
      const word = term.found?.exec(line)?.[0];
      if (word === undefined || (/^Wh/.test(word) && asks(lines, index, line.indexOf(word)))) return [];
      return [{ file, line: index + 1, word, term }];
    });
  });
}

// Most lines have none, and one expression reads them faster than thirty.
const anyWord = new RegExp(
  terms.flatMap(({ found }) => (found === undefined ? [] : [found.source])).join('|'),
  'i',
);

/** The lines of a page without its code, its headings (others link to them) and its list of retired words. */
function prose(text: string): string[] {
  let inCode = false;
  return text
    .replace(/<!-- words -->[\s\S]*<!-- end of words -->/, (list) => list.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line) => {
      const fence = /^\s*```/.test(line);
      if (fence) inCode = !inCode;
      return fence || inCode || line.startsWith('#') ? '' : line.replace(/`[^`]*`|\]\([^)]*\)/g, '`x`');
    });
}

/** What a line of code says to people: its comment, or else its sentences in quotes. */
function spoken(line: string): string {
  const comment =
    /^\s*(?:\/\*\*?|\*(?!\/)|\/{2,3}|--)(.*)$/.exec(line)?.[1] ?? /\s(?:\/\/|--) (.*)$/.exec(line)?.[1];
  if (comment !== undefined) return comment.trim().replace(/`[^`]*`/g, '`x`');
  // Quotes are paired from the left, and a sentence has two spaces at least, without the code in its gaps.
  const quoted = (line.match(/'[^']*'|"[^"]*"|`[^`]*`/g) ?? []).map((each) =>
    each.slice(1, -1).replace(/\$\{[^}]*\}/g, 'x'),
  );
  return quoted.filter((each) => / .* /.test(each)).join(' | ');
}

/** Whether the sentence that begins at `at` of a line asks; it may end a few lines further. */
function asks(lines: readonly string[], index: number, at: number): boolean {
  const rest = [lines[index]?.slice(at), ...lines.slice(index + 1, index + 4)].join(' ');
  return /^[^.!]*?\?/.test(rest);
}
