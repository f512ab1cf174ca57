import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { describe, expect, test } from 'vitest';
import { builtSite } from '../../../packages/api/src/documents/site-files.ts';
import { indexOptions, notSearched, searchOptions } from '../generator/.vitepress/search/options.mjs';
import { questions } from './search-questions.ts';

const chunks = join(builtSite, 'assets/chunks');
const index = (await import(
  /* @vite-ignore */ pathToFileURL(join(chunks, named('@localSearchIndex'))).href
)) as { default: string };
/** The search of the site's box over the site's index. */
const search = MiniSearch.loadJSON(index.default, { ...indexOptions, searchOptions });

const pages = readdirSync(builtSite, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !notSearched.includes(name))
  .map((name) => ({ path: name.replace(/\.md$/, ''), title: titleOf(name) }));

describe('the search finds first', () => {
  test.each(pages)('the page "$title" by its title', ({ path, title }) => {
    expect(found(title)[0]).toBe(path);
  });

  test.each(pages.filter(({ path }) => path.startsWith('reference/v2/') && !path.endsWith('/index')))(
    'the page "$title" by its title without the version',
    ({ path, title }) => {
      expect(found(title.replace(' (v2)', ''))[0]).toBe(path);
    },
  );
});

describe('the search answers in the first three', () => {
  test.each(questions)('"$asked"', ({ asked, answeredBy }) => {
    expect(found(asked).filter((path) => answeredBy.includes(path))).not.toEqual([]);
  });
});

test('a word that is half typed finds its page, and the changelog is not searched', () => {
  expect(found('idempot')).not.toEqual([]);
  expect(found('Verify a web')[0]).toBe('guides/verify-a-webhook');
  expect(search.search('changelog unreleased').filter(({ id }) => String(id).includes('changelog'))).toEqual(
    [],
  );
});

/** The pages of the first three places, as the search box lists them. */
function found(query: string): string[] {
  return search
    .search(query)
    .slice(0, 3)
    .map(({ id }) =>
      String(id)
        .replace(/#.*/, '')
        .replace('/docs/', '')
        .replace(/(^|\/)$/, '$1index'),
    );
}

function titleOf(name: string): string {
  return /^# (.*)$/m.exec(readFileSync(join(builtSite, name), 'utf8'))?.[1] ?? '';
}

function named(part: string): string {
  const name = readdirSync(chunks).find((file) => file.includes(part));
  if (name === undefined) throw new Error(`dist/site has no ${part}`);
  return name;
}
