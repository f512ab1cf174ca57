import { spawnSync } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationId } from '../../../packages/api/src/documents/names.ts';
import { kebab } from '../../../packages/api/src/documents/site/markdown.ts';
import { guides } from '../../../packages/api/src/documents/site/pages.ts';
import { builtSite, siteFiles } from '../../../packages/api/src/documents/site-files.ts';
import { errorCodes, readReasons } from '../../../packages/api/src/reasons.ts';
import { callRest, startTestApi, type TestApi } from '../../../tests/support/api.ts';
import { operations } from '../../../tests/support/documented.ts';
import { askRaw } from '../../../tests/support/raw.ts';
import { deadLinksOf, htmlPages } from '../../../tests/support/site-links.ts';
import { notSearched } from '../generator/.vitepress/search/options.mjs';

const served = siteFiles(realpathSync(builtSite));
const operationPages = operations.flatMap((operation) =>
  operation.routes.map(({ version }) => `reference/${version}/${kebab(operationId(operation))}`),
);

let api: TestApi;
let pages: Map<string, string>;
beforeAll(async () => {
  api = await startTestApi({}, builtSite);
  pages = await htmlPages(served);
});
afterAll(() => api.close());

test('the same sources give the same bytes', { timeout: 600_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ['extras/site/site.mjs', '--check'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

describe('the site', () => {
  test('every page had the same description: each has its own, which a web search can show whole', () => {
    const descriptions = [...pages.values()].map(
      (html) => /<meta name="description" content="([^"]*)">/.exec(html)?.[1] ?? '',
    );
    expect(new Set(descriptions).size).toBe(pages.size);
  });

  test('has every guide and every operation as a page, as Markdown and in the search', async () => {
    const found = await searchable();
    for (const path of [...guides.map(({ path }) => path), ...operationPages]) {
      expect(served.has(`/docs/${path}`), path).toBe(true);
      expect(served.has(`/docs/${path}.md`), path).toBe(true);
      expect(found.has(`/docs/${path}`), path).toBe(!notSearched.includes(`${path}.md`));
    }
  });

  test('has an anchor for every error code and reason', () => {
    for (const code of [...Object.keys(errorCodes), ...Object.keys(readReasons)])
      expect(pages.get('/docs/errors')).toContain(`id="${code}"`);
  });

  test('has no dead link', () => {
    const dead = [...pages].flatMap(([from, html]) =>
      deadLinksOf({ pages, served, from, links: linksOf(html) }),
    );
    expect(dead).toEqual([]);
  });

  test('loads nothing from another host, and links to one host alone', () => {
    const hosts = new Set<string>();
    for (const [page, html] of pages) {
      for (const [, address = ''] of html.matchAll(
        /<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]*)"/g,
      ))
        expect(address, page).toMatch(/^\/docs\//);
      for (const link of linksOf(html)) if (/^\w+:/.test(link)) hosts.add(link);
    }
    expect([...hosts]).toEqual(['https://www.standardwebhooks.com']);
  });

  test('writes no style and no handler into its pages, which their policy would refuse', () => {
    for (const [page, html] of pages) expect(html, page).not.toMatch(/<[a-z][^>]*\s(?:style|on\w+)=|<style/);
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

  test.each(['br', 'gzip'])('comes as %s on request, the same bytes', async (encoding) => {
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

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

/** The pages that the search knows. */
async function searchable(): Promise<Set<string>> {
  const folder = join(builtSite, 'assets/chunks');
  const name = readdirSync(folder).find((file) => file.includes('@localSearchIndex')) ?? '';
  const index = (await import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)) as {
    default: string;
  };
  const { documentIds } = JSON.parse(index.default) as { documentIds: Record<string, string> };
  return new Set(Object.values(documentIds).map((id) => id.split('#')[0] ?? ''));
}

const raw = (path: string, encoding: string, etag?: string) =>
  askRaw(api.url, `GET ${path}`, {
    'accept-encoding': encoding,
    ...(etag !== undefined && { 'if-none-match': etag }),
  });
