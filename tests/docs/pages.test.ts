import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { operationId } from '../../packages/api/src/documents/names.ts';
import type { Served } from '../../packages/api/src/documents/served.ts';
import { kebab } from '../../packages/api/src/documents/site/markdown.ts';
import { guides, makeSite, type Site } from '../../packages/api/src/documents/site/pages.ts';
import { plainSite } from '../../packages/api/src/documents/site/plain-site.ts';
import { errorCodes, readReasons } from '../../packages/api/src/reasons.ts';
import { eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { withExampleCode } from '../../scripts/docs/example-code.ts';
import { operations } from '../support/documented.ts';
import { deadLinksOf, htmlPages } from '../support/site-links.ts';

const operationPages = operations.flatMap((operation) =>
  operation.routes.map(({ version, method, path }) => ({
    call: `${method} ${path}`,
    page: `reference/${version}/${kebab(operationId(operation))}`,
  })),
);

let site: Site;
let served: Map<string, Served>;
let pages: Map<string, string>;
beforeAll(async () => {
  [site, served] = await Promise.all([makeSite(repositoryRoot), plainSite(repositoryRoot)]);
  pages = await htmlPages(served);
});
const markdown = (path: string) => site.plain.get(path) ?? '';

describe('the pages of the documents', () => {
  test('are Markdown that any reader shows, without the marks of its generator', () => {
    for (const [path, text] of site.plain) {
      expect(text.match(/^:::.*$|^```\w* ?\[.*$|^```\w+ \S+\/.*$|\)\{.*\}|&#123;/gm), path).toBeNull();
      for (const [, block = ''] of (site.pages.get(path) ?? '').matchAll(/^```.*\n([\s\S]*?)^```$/gm))
        expect(text, path).toContain(block);
    }
    expect(site.plain.get('reference/v2/orders-create')).toContain('\nPython:\n\n```python\n');
  });

  test('have a description each that a web search can show whole', () => {
    for (const [path, text] of Object.entries(site.descriptions)) {
      expect(text.length, path).toBeGreaterThan(50);
      expect(text.length, path).toBeLessThan(160);
      expect(text, path).not.toMatch(/[`|]|\]\(/);
    }
  });

  test('two pages had the same title: each operation names its version', () => {
    const titles = [...site.plain.values()].map((text) => /^# (.*)$/m.exec(text)?.[1] ?? '');
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    for (const { page } of operationPages)
      expect(site.plain.get(page), page).toMatch(new RegExp(`^# .* \\(${page.split('/')[1]}\\)\n`));
  });

  test('the fields of an event were in one table with those of all others: each type has its own', () => {
    const page = markdown('reference/v2/events-list');
    const parts = [...page.matchAll(/^`data\[\]\.data` where `type` is (.+):$/gm)];
    const listed = parts.flatMap(([, types = '']) => types.replaceAll('`', '').split(', '));
    expect(listed.sort()).toEqual([...eventTypes].sort());
    const moved = page.split('`order.status_changed`:\n\n')[1]?.split('\n\n')[0] ?? '';
    const fields = [...moved.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(fields).toEqual(['id', 'previous_status', 'status', 'external_id']);
    for (const { page } of operationPages)
      for (const [row, type = ''] of markdown(page).matchAll(/^\| `[\w.[\]]+` \| (.+?) \|/gm))
        expect(new Set(type.split(', ')).size, row).toBe(type.split(', ').length);
  });

  test('are every guide and every operation, in llms.txt too', () => {
    expect(operationPages.length).toBeGreaterThan(60);
    for (const path of [...guides.map(({ path }) => path), ...operationPages.map(({ page }) => page)]) {
      expect(site.plain.has(path), path).toBe(true);
      expect(site.index, path).toContain(`(/docs/${path}.md)`);
    }
    for (const { call, page } of operationPages) expect(markdown(page)).toContain(call);
    const files = readdirSync(join(repositoryRoot, 'docs/guides'));
    expect(files.filter((name) => !site.plain.has(`guides/${name.replace(/\.md$/, '')}`))).toEqual([]);
  });

  test('have no dead link in their Markdown', () => {
    const dead = [...site.pages].flatMap(([path, text]) => {
      const links = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)];
      return deadLinksOf({
        pages,
        served,
        from: `/docs/${path}.md`,
        links: links.map(([, link = '']) => link),
      });
    });
    expect(dead).toEqual([]);
  });
});

describe('a guide that is read in a clone', () => {
  const folder = join(repositoryRoot, 'docs/guides');
  const files = readdirSync(folder);

  test.each(files)('shows the code of its examples as it is (npm run docs writes it): %s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).not.toMatch(/^<<< /m);
    expect(withExampleCode(repositoryRoot, text)).toBe(text);
  });

  test.each(files)('has links that lead to files of the repository: %s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s:]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = join(folder, path);
      // The running service makes the lists of its own addresses.
      if (path === '' || path.startsWith('/docs/webhook-addresses.')) return false;
      if (!existsSync(file)) return true;
      const isTable = file === join(dirname(folder), 'api.md') && anchor?.includes('-');
      return isTable && !readFileSync(file, 'utf8').includes(`<a id="${anchor}">`);
    });
    expect(dead).toEqual([]);
  });
});

describe('without their generator, the documents', () => {
  test('are there as pages and as Markdown, with the feed, the index and the collections', async () => {
    for (const path of site.plain.keys()) {
      const address = `/docs/${path.replace(/(^|\/)index$/, '$1')}`;
      expect(served.get(address)?.type, address).toBe('text/html; charset=utf-8');
      expect(await served.get(`/docs/${path}.md`)?.make(), path).toBe(markdown(path));
    }
    expect(await served.get('/llms.txt')?.make()).toBe(site.index);
    expect(await served.get('/docs/changelog.xml')?.make()).toBe(site.feed);
    for (const [name, text] of site.collections) expect(await served.get(`/docs/${name}`)?.make()).toBe(text);
  });

  test('have an anchor for every error code and reason, and no dead link', () => {
    for (const code of [...Object.keys(errorCodes), ...Object.keys(readReasons)])
      expect(pages.get('/docs/errors')).toContain(`id="${code}"`);
    const dead = [...pages].flatMap(([from, html]) =>
      deadLinksOf({
        pages,
        served,
        from,
        links: [...html.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => link),
      }),
    );
    expect(dead).toEqual([]);
  });

  test('say every word of their Markdown', () => {
    for (const [path, text] of site.plain) {
      const html = pages.get(`/docs/${path.replace(/(^|\/)index$/, '$1')}`) ?? '';
      const shown = html.slice(html.indexOf('<main>'), html.indexOf('</main>')).replace(/<[^>]*>/g, ' ');
      expect(wordsOf(readable(shown)), path).toEqual(wordsOf(readable(withoutMarks(text))));
    }
  });

  test('run no script and write no style or handler, which their policy would refuse', () => {
    for (const [page, html] of pages)
      expect(html, page).not.toMatch(/<script|<style|<[a-z][^>]*\s(?:style|on\w+)=/);
  });
});

/** Without what HTML says by its tags, and without the part that only the built site has. */
const withoutMarks = (text: string): string =>
  text
    .replace(/^### Try it\n[\s\S]*?(?=^#{1,3} )/m, '')
    .replace(/\]\([^)\s]+\)/g, ']')
    .replace(/^\s*\|[-| ]+\|$/gm, '')
    .replace(/^```.*$|^\d+\. /gm, '');

const readable = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
