import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8');

const pagesIn = (folder: string) =>
  readdirSync(join(repositoryRoot, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
// The guides link to pages that are made, and the site has its own check.
const pages = ['docs', 'docs/operations', 'docs/design', 'docs/bench'].flatMap(pagesIn);

test.each(['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...pages])('%s has no dead link', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  for (const link of links.filter((each) => !/^(\w+:|\/)/.test(each))) {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(() => statSync(join(repositoryRoot, file)), link).not.toThrow();
    if (anchor !== undefined) expect(anchorsOf(read(file)), link).toContain(anchor);
  }
});

test.each([
  ['flow.svg', 10],
  ['docs.png', 200],
])('the picture %s is in the README and has less than %d KB', (name, most) => {
  expect(read('README.md')).toContain(`](docs/pictures/${name})`);
  expect(statSync(join(repositoryRoot, 'docs/pictures', name)).size).toBeLessThan(most * 1024);
});

test('flow.svg needs nothing but itself', () => {
  expect(read('docs/pictures/flow.svg')).not.toMatch(/<script|\bhref=|url\((?!#)/);
});

const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
