import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';
import { words } from '../support/words.ts';

const read = (name: string) =>
  readFileSync(join(repositoryRoot, 'docs', name), 'utf8')
    .trimEnd()
    .split('\n');
const pages = words(`contract.md contract-resources.md contract-events.md contract-sandbox.md
    contract-typed-client.md`);

test.each(pages)('%s has at most 300 lines of at most 140 characters', (name) => {
  const lines = read(name);
  expect(lines.length).toBeLessThanOrEqual(300);
  expect(lines.filter((line) => [...line].length > 140)).toEqual([]);
});

test('no rule is in the contract twice', () => {
  // A rule is a line of a table or a bullet. Its first sentence is enough to find it again.
  const rules = pages.flatMap((name) =>
    read(name)
      .join('\n')
      .split(/\n(?=[-|#]|\n)/)
      .filter((part) => part.startsWith('- '))
      .map((part) => part.replaceAll(/\s+/g, ' ').split('. ')[0]),
  );
  expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([]);
});

test('every page that continues the contract is linked from it', () => {
  const contract = read('contract.md').join('\n');
  expect(pages.slice(1).filter((name) => !contract.includes(`](${name})`))).toEqual([]);
});
