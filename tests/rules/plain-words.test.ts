import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';
import { type Find, findIn, roomOf, textFiles } from './words/find.ts';
import { terms } from './words/terms.ts';

const files = textFiles(repositoryRoot);
const rooms = new Map<string, Find[]>(files.map((file) => [roomOf(file), []]));
for (const file of files) rooms.get(roomOf(file))?.push(...findIn(repositoryRoot, file));
const ceilingsFile = join(repositoryRoot, 'tests/rules/words/ceilings.json');
const mostOf: Readonly<Record<string, number>> = JSON.parse(readFileSync(ceilingsFile, 'utf8'));

test.each([...rooms])('%s has no more retired words than its ceiling', (room, finds) => {
  const most = mostOf[room] ?? 0;
  const list = finds.map(({ file, line, word, term }) => `${file}:${line}: "${word}": write ${term.term}`);
  expect(
    finds.length,
    `${room} may have ${most} (tests/rules/words/ceilings.json), and has:\n${list.slice(0, 60).join('\n')}`,
  ).toBeLessThanOrEqual(most);
});

test('the list of words in CONTRIBUTING is the table of terms', () => {
  const page = readFileSync(join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8');
  const rows = terms.map(({ term, use, retired }) => `| ${term} | ${use} | ${retired.join(', ')} |\n`);
  expect(/<!-- words -->\n\n([\s\S]*)\n<!-- end of words -->/.exec(page)?.[1]).toBe(
    `| Term | Use | In place of |\n| --- | --- | --- |\n${rows.join('')}`,
  );
  expect(terms.length).toBeLessThanOrEqual(40);
});

test('every ceiling is of a room that has files', () => {
  expect(Object.keys(mostOf).filter((room) => !rooms.has(room))).toEqual([]);
});

// A run with COMANDA_RECORD=yes lowers the ceilings to the present counts. It raises none.
if (process.env.COMANDA_RECORD === 'yes') {
  const counted = [...rooms].map(([room, finds]): [string, number] => [
    room,
    Math.min(mostOf[room] ?? 0, finds.length),
  ]);
  const text = JSON.stringify(
    Object.fromEntries(counted.toSorted(([a], [b]) => a.localeCompare(b))),
    null,
    2,
  );
  writeFileSync(ceilingsFile, `${text}\n`);
}
