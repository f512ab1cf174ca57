import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../docs/decisions/', import.meta.url));
const decisions = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .map((name) => ({
    name,
    lines: readFileSync(folder + name, 'utf8')
      .trimEnd()
      .split('\n'),
  }));

test.each(decisions)('$name is read in a minute: ten to thirty lines', ({ lines }) => {
  expect(lines.length).toBeGreaterThanOrEqual(10);
  expect(lines.length).toBeLessThanOrEqual(30);
});

test.each(decisions)('$name begins with its number and a title', ({ name, lines }) => {
  expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
  expect(lines[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)} [A-Z][^:]*[^.:]$`));
});

test('the index lists every decision once, by its title', () => {
  const listed = readFileSync(`${folder}README.md`, 'utf8').match(/^- .*$/gm) ?? [];
  const expected = decisions.map(({ name, lines: [title = ''] }) => `- [${title.slice(2)}](${name})`);
  expect(listed.toSorted()).toEqual(expected.toSorted());
});
