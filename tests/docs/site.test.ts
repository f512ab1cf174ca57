import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notSearched } from '../../docs/site/.vitepress/search/options.mjs';
import { operationId } from '../../packages/api/src/documents/names.ts';
import { siteFiles } from '../../packages/api/src/documents/site-files.ts';
import { webhookAddresses } from '../../packages/api/src/documents/webhook-addresses.ts';
import { errorCodes, readReasons } from '../../packages/api/src/reasons.ts';
import { eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { guides } from '../../scripts/site/contents.ts';
import { kebab } from '../../scripts/site/markdown.ts';
import { makeSite, type Site } from '../../scripts/site/pages.ts';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { askRaw } from '../support/raw.ts';

const built = join(repositoryRoot, 'docs/site/built');
const read = (name: string) => readFileSync(join(built, name), 'utf8');
const served = siteFiles();
/** What is served beside the site, and may be linked to. */
const beside = [...webhookAddresses([]).map(([path]) => path), '/openapi-v1.json', '/openapi-v2.json'];
const pages = [...served.keys()].filter((path) => path.startsWith('/docs/') && !/\.\w+$/.test(path));
const operationPages = operations.flatMap((operation) =>
  operation.routes.map(({ version, method, path }) => ({
    call: `${method} ${path}`,
    page: `reference/${version}/${kebab(operationId(operation))}`,
  })),
);

let api: TestApi;
let site: Site;
beforeAll(async () => {
  [api, site] = await Promise.all([startTestApi(), makeSite(repositoryRoot)]);
});
afterAll(() => api.close());

describe('the site', () => {
  test('is built from the sources of today: else run npm run site', () => {
    for (const [path, text] of site.plain) expect(read(`${path}.md`), path).toBe(text);
    expect(read('llms.txt')).toBe(site.index);
    expect(read('changelog.xml')).toBe(site.feed);
    for (const [name, text] of site.collections) expect(read(name), name).toBe(text);
    const twins = filesOf(built).filter((name) => name.endsWith('.md'));
    expect(twins.sort()).toEqual([...site.pages.keys()].map((path) => `${path}.md`).sort());
  });

  test('is Markdown that any reader shows, without the marks of its generator', () => {
    for (const [path, text] of site.plain) {
      expect(text.match(/^:::.*$|^```\w* ?\[.*$|\)\{.*\}|&#123;/gm), path).toBeNull();
      for (const [, block = ''] of (site.pages.get(path) ?? '').matchAll(/^```.*\n([\s\S]*?)^```$/gm))
        expect(text, path).toContain(block);
    }
    expect(site.plain.get('reference/v2/orders-create')).toContain('\nPython:\n\n```python\n');
  });

  test('every page had the same description: each has its own, which a web search can show whole', () => {
    const told = pages.map(
      (page) => /<meta name="description" content="([^"]*)">/.exec(htmlOf(page))?.[1] ?? '',
    );
    expect(new Set(told).size).toBe(pages.length);
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

  test('the fields of an event stood in one table with those of all others: each type has its own', () => {
    const page = read('reference/v2/events-list.md');
    const parts = [...page.matchAll(/^`data\[\]\.data` where `type` is (.+):$/gm)];
    const told = parts.flatMap(([, types = '']) => types.replaceAll('`', '').split(', '));
    expect(told.sort()).toEqual([...eventTypes].sort());
    const moved = page.split('`order.status_changed`:\n\n')[1]?.split('\n\n')[0] ?? '';
    const fields = [...moved.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(fields).toEqual(['id', 'previous_status', 'status', 'external_id']);
    for (const { page } of operationPages)
      for (const [row, type = ''] of read(`${page}.md`).matchAll(/^\| `[\w.[\]]+` \| (.+?) \|/gm))
        expect(new Set(type.split(', ')).size, row).toBe(type.split(', ').length);
  });

  test('has every guide and every operation as a page, as Markdown, in llms.txt and in the search', async () => {
    expect(operationPages.length).toBeGreaterThan(60);
    const wanted = [...guides.map(({ path }) => path), ...operationPages.map(({ page }) => page)];
    const found = await searchable();
    for (const path of wanted) {
      expect(served.has(`/docs/${path}`), path).toBe(true);
      expect(served.has(`/docs/${path}.md`), path).toBe(true);
      expect(site.index, path).toContain(`(/docs/${path}.md)`);
      expect(found.has(`/docs/${path}`), path).toBe(!notSearched.includes(`${path}.md`));
    }
    for (const { call, page } of operationPages) expect(read(`${page}.md`)).toContain(call);
    const files = readdirSync(join(repositoryRoot, 'docs/guides'));
    expect(files.map((name) => `guides/${name}`).filter((name) => !existsSync(join(built, name)))).toEqual(
      [],
    );
  });

  test('has an anchor for every error code and reason', () => {
    for (const code of [...Object.keys(errorCodes), ...Object.keys(readReasons)])
      expect(read('errors.html')).toContain(`id="${code}"`);
  });

  test('has no dead link', () => {
    const dead = pages.flatMap((page) => {
      const html = htmlOf(page);
      return linksOf(html)
        .filter((link) => isDead(link, page))
        .map((link) => `${page}: ${link}`);
    });
    expect(dead).toEqual([]);
  });

  test('has no dead link in its Markdown', () => {
    const dead = [...site.pages].flatMap(([path, text]) =>
      [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => isDead(link, `/docs/${path}.md`))
        .map((link) => `${path}.md: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('loads nothing from another host, and links to one host alone', () => {
    const hosts = new Set<string>();
    for (const page of pages) {
      const html = htmlOf(page);
      for (const [, address = ''] of html.matchAll(
        /<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]*)"/g,
      ))
        expect(address, page).toMatch(/^\/docs\//);
      for (const link of linksOf(html)) if (/^\w+:/.test(link)) hosts.add(link);
    }
    expect([...hosts]).toEqual(['https://www.standardwebhooks.com']);
  });

  test('writes no style and no handler into its pages, which their policy would refuse', () => {
    for (const page of pages) expect(htmlOf(page), page).not.toMatch(/<[a-z][^>]*\s(?:style|on\w+)=|<style/);
  });
});

describe('served, the site', () => {
  test('runs the scripts inside of its pages by their hash alone', async () => {
    const { headers, text } = await callRest(api.url, 'GET /docs/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.match(/'sha256-/g)).toHaveLength(text.match(/<script(?![^>]*src=)/g)?.length ?? 0);
    expect(policy).toMatch(/script-src 'self' 'sha256-/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test.each(['br', 'gzip'])('comes as %s to who asks for it, the same bytes', async (encoding) => {
    const plain = await raw('/docs/errors', 'identity');
    const packed = await raw('/docs/errors', encoding);
    const unpack = encoding === 'br' ? brotliDecompressSync : gunzipSync;
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(packed.bytes.length),
      vary: 'Accept-Encoding',
    });
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const again = await raw('/docs/errors', encoding, packed.headers.etag);
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect(again.headers['content-encoding']).toBeUndefined();
  });

  test('is kept for good where the name changes with the content, and asked for again elsewhere', async () => {
    const asset = [...served.keys()].find((path) => path.startsWith('/docs/assets/')) ?? '';
    const kept = await raw(asset, 'identity');
    expect(kept.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await raw('/docs/errors.md', 'identity')).headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/markdown; charset=utf-8',
    });
  });

  test.each([
    '/docs/../package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/site/package.json',
    '/docs/assets/',
    '/docs//errors',
  ])('has nothing at %s', async (path) => {
    expect((await raw(path, 'identity')).status).toBe(404);
  });
});

const htmlOf = (page: string): string => String(served.get(page)?.make());

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

function isDead(link: string, from: string): boolean {
  const { origin, pathname, hash } = new URL(link, `http://here${from}`);
  if (origin !== 'http://here') return false;
  if (!served.has(pathname)) return !beside.includes(pathname) && pathname !== '/llms.txt';
  const page = pathname.replace(/index\.md$/, '').replace(/\.md$/, '');
  return hash !== '' && !htmlOf(page).includes(`id="${decodeURIComponent(hash.slice(1))}"`);
}

/** The pages that the search knows. */
async function searchable(): Promise<Set<string>> {
  const name = filesOf(built).find((file) => file.includes('@localSearchIndex')) ?? '';
  const index = (await import(/* @vite-ignore */ pathToFileURL(join(built, name)).href)) as {
    default: string;
  };
  const { documentIds } = JSON.parse(index.default) as { documentIds: Record<string, string> };
  return new Set(Object.values(documentIds).map((id) => id.split('#')[0] ?? ''));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

const raw = (path: string, encoding: string, etag?: string) =>
  askRaw(api.url, `GET ${path}`, {
    'accept-encoding': encoding,
    ...(etag !== undefined && { 'if-none-match': etag }),
  });
