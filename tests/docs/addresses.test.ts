import { repositoryRoot } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { plainSite } from '../../packages/api/src/documents/site/plain-site.ts';
import { useApi } from '../support/api.ts';
import { askRaw } from '../support/raw.ts';
import { words } from '../support/words.ts';

const api = useApi();
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (route: string, accept?: string) =>
  askRaw(api.url, route, accept === undefined ? {} : { accept });
const pages = [...(await plainSite(repositoryRoot)).keys()].filter(
  (path) => path.startsWith('/docs/') && !/\.\w+$/.test(path) && path !== '/docs/404',
);
const codeOf = (bytes: Buffer): unknown => JSON.parse(bytes.toString()).error.code;

describe('the address of a page', () => {
  test('with a slash too many or too few, .html or index.html leads to the page', async () => {
    expect(pages.length).toBeGreaterThan(90);
    for (const page of pages) {
      const bare = page.replace(/\/$/, '');
      const others = [`${bare}.html`, `${bare}/index.html`, `${bare}/index`, bare, `${bare}/`].filter(
        (path) => path !== page && path !== '/docs.html',
      );
      for (const path of others) {
        const { status, headers } = await ask(`GET ${path}?from=elsewhere`, browser);
        expect([path, status, headers.location]).toEqual([path, 301, page]);
        expect(headers['cache-control']).toBe('no-cache');
      }
    }
  });

  test.each([
    ['/docs/guides', '/docs/'],
    ['/docs/guides/', '/docs/'],
    ['/docs/guides/index.html', '/docs/'],
    ['/docs/reference', '/docs/reference/v2/'],
    ['/docs/try', '/docs/reference/v2/'],
    ['/docs/try/?version=v1', '/docs/reference/v1/'],
    ['/docs/try?version=https://elsewhere.example', '/docs/reference/v2/'],
  ])('%s leads to %s', async (path, page) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(`${method} ${path}`);
      expect([status, headers.location]).toEqual([301, page]);
    }
    expect((await ask(`POST ${path}`)).status).toBe(405);
  });

  test.each(
    words(`/docs/../package.json /docs//errors /docs/.html /docs/guides/orders.html.html /docs/assets
      /docs/404.html /docsguides //[/docs/errors.html`),
  )('is not guessed from %s', async (path) => {
    expect((await ask(`GET ${path}`)).status).toBe(404);
  });
});

describe('where there is no page', () => {
  test.each(['/docs/guides/nope', '/docs/nope/', '/docs/404'])('a browser gets one at %s', async (path) => {
    const { status, headers, bytes } = await ask(`GET ${path}`, browser);
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding' });
    expect(headers.etag).toBeUndefined();
    expect(bytes.toString()).toContain('Page not found');
    const head = await ask(`HEAD ${path}`, browser);
    expect([head.status, head.bytes.length]).toEqual([404, 0]);
  });

  test('what asks for no page gets the error that it knows', async () => {
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/html;q=0.5',
      'text/html;q=0',
    ]) {
      const { status, headers, bytes } = await ask('GET /docs/guides/nope', accept);
      expect([accept, status, headers['content-type']]).toEqual([
        accept,
        404,
        'application/json; charset=utf-8',
      ]);
      expect(codeOf(bytes)).toBe('resource_not_found');
    }
    const posted = await ask('POST /docs/guides/nope', browser);
    expect([posted.status, codeOf(posted.bytes)]).toEqual([404, 'resource_not_found']);
    const elsewhere = await ask('GET /v2/nope', browser);
    expect([elsewhere.status, codeOf(elsewhere.bytes)]).toEqual([404, 'resource_not_found']);
  });

  test('/ leads a browser to the documents, and is an error to others', async () => {
    const led = await ask('GET /', browser);
    expect([led.status, led.headers.location, led.headers.vary]).toEqual([302, '/docs/', 'Accept']);
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { status, bytes } = await ask('GET /', accept);
      expect([accept, status, codeOf(bytes)]).toEqual([accept, 404, 'resource_not_found']);
    }
  });
});
