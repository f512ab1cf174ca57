import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi(() => ({ app: 'on' }));

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(api.url + path, { method, headers, redirect: 'manual' });

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// The pictures of products are on other hosts.
const pagePolicy = policy.replace('data:', 'data: http: https:');

describe('the page', () => {
  it.each(['/app', '/app/', '/app/board', '/app/day?x=1'])(
    'is served at %s, under a policy that lets in nothing but pictures',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toBe(pagePolicy);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]*src)|<style|style=|https?:/);
    },
  );

  it('names what it loads by its content: for a year, and compressed', async () => {
    const html = await (await get('/app')).text();
    const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      expect(path).toMatch(/^\/app\/assets\/main-[A-Z0-9]{8}\.(js|css)$/);
      for (const encoding of ['br', 'gzip']) {
        const answer = await get(path, { 'accept-encoding': encoding });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-encoding')).toBe(encoding);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('content-security-policy')).toBe(policy);
      }
    }
  });

  it('is not sent again to a browser that has it', async () => {
    const etag = (await get('/app')).headers.get('etag') ?? '';
    expect((await get('/app', { 'if-none-match': etag })).status).toBe(304);
  });
});

it.each([
  ['GET', '/app/assets/none-00000000.js', 404],
  ['GET', '/app/assets/', 404],
  ['GET', '/app/assets/..%2findex.html', 404],
  ['GET', '/application', 404],
  ['POST', '/app', 405],
])('%s %s is answered %i', async (method, path, status) => {
  expect((await get(path, {}, method)).status).toBe(status);
});

describe('unless it is asked for', () => {
  const off = useApi();

  it.each(['/app', '/app/board', '/app/assets/'])('%s is not there', async (path) => {
    expect((await fetch(off.url + path)).status).toBe(404);
  });
});
