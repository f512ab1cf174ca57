import { describe, expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { inputIn, openKitchen, useKitchen } from './kitchen.ts';
import { exchange } from './socket.ts';

const api = useApi();
const kitchen = useKitchen(api);

const routes = operations.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`));
const origin = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };

/** The request, and the expected Cache-Control of the answer. */
interface Ask {
  about: string;
  route: string;
  headers?: Record<string, string>;
  body?: string;
  cached?: RegExp;
}

const kept = /^no-cache$/;
const elsewhere: Ask[] = [
  { about: 'health', route: 'GET /healthz' },
  { about: 'readiness', route: 'GET /readyz' },
  { about: 'metrics', route: 'GET /metrics' },
  { about: 'the documents', route: 'GET /docs/', cached: kept },
  { about: 'a page at another address', route: 'GET /docs/errors.html', cached: kept },
  {
    about: 'an address without a page, in a browser',
    route: 'GET /docs/nothing',
    headers: { accept: 'text/html' },
  },
  { about: 'the page of the errors', route: 'GET /docs/errors', cached: kept },
  { about: 'the first document', route: 'GET /openapi-v1.json', cached: kept },
  { about: 'the second document', route: 'GET /openapi-v2.json', cached: kept },
  { about: 'an unknown path', route: 'GET /nothing' },
  { about: 'an unknown path of REST', route: 'GET /v2/nothing' },
  { about: 'an unknown path of the documents', route: 'GET /docs/../docs/x' },
  { about: 'a wrong method on a document', route: 'POST /openapi-v2.json' },
  { about: 'a broken escape', route: 'GET /docs/%zz' },
  { about: 'an unknown procedure', route: 'GET /trpc/nothing' },
  { about: 'a procedure without a key', route: 'GET /trpc/orders.list' },
  { about: 'a broken batch', route: 'GET /trpc/orders.list,%zz?batch=1&input=%7B' },
  {
    about: 'too many headers',
    route: 'GET /v2/orders',
    headers: Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`x-${n}`, '1'])),
  },
  { about: 'a body that is too large', route: 'POST /v2/orders', body: ' '.repeat(1024 * 1024 + 1) },
];

describe('every answer is safe to open in a browser, and reveals nothing of what answers:', () => {
  test.each(routes)('%s without a key', async (route) => {
    await expectSafe({ about: route, route });
  });

  test.each(routes)('%s asked by a page of another site', async (route) => {
    await expectSafe({ about: route, route: route.replace(/^\w+/, 'OPTIONS'), headers: origin });
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s with a key, over tRPC',
    async (name, operation) => {
      // A kitchen for each: an operation may empty or close what the next one needs.
      const own = await openKitchen(api);
      const input = JSON.stringify(await inputIn(own, operation));
      const query = operation.kind === 'query';
      await expectSafe({
        about: name,
        route: query ? `GET /trpc/${name}?input=${encodeURIComponent(input)}` : `POST /trpc/${name}`,
        headers: { authorization: `Bearer ${own.key}`, ...origin },
        ...(!query && { body: input }),
      });
    },
  );

  test.each(routes.filter((route) => route.startsWith('GET ')))('%s with a key', async (route) => {
    const path = route.replace(/\{\w+\}/, kitchen.product.id);
    // By the id of a product no other resource is found: a refusal is never kept.
    const covers =
      !route.includes('{') &&
      operations.some(({ meta }) => meta.conditional && meta.rest?.some((each) => each === route));
    const cached = covers ? /^private, no-cache$/ : /^no-store$/;
    const headers = { authorization: `Bearer ${kitchen.key}`, ...origin };
    const answer = await expectSafe({ about: route, route: path, headers, cached });
    const etag = answer.headers.get('etag');
    if (etag === null) return;
    const unchanged = await expectSafe({
      about: route,
      route: path,
      headers: { ...headers, 'if-none-match': etag },
      cached,
    });
    expect(unchanged.status).toBe(covers ? 304 : 200);
  });

  test.each(elsewhere)('$about', async (ask) => {
    await expectSafe(ask);
  });

  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['too large a header', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['TRACE', 'TRACE /v2/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    [
      'an expectation',
      'GET /v2/orders HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nConnection: close\r\n\r\n',
    ],
    ['two hosts', 'GET /v2/orders HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
    ['an unknown coding', 'POST /v2/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['no host', 'GET /v2/orders HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an absolute target', 'GET http://x/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('%s on a bare socket', async (_about, bytes) => {
    const { head, json } = await exchange(api.url, bytes);
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line): [string, string] => [
          line.split(':')[0] ?? '',
          line.split(':').slice(1).join(':').trim(),
        ]),
    );
    requireSafe(headers, /^no-store$/);
    expect(json.error?.code).toMatch(/^(invalid_request|resource_not_found|unauthorized)$/);
  });
});

async function expectSafe({
  about,
  route,
  headers: asked = {},
  body,
  cached = /^no-store$/,
}: Ask): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(api.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...asked },
    ...(body !== undefined && { body }),
  });
  await response.arrayBuffer();
  expect(response.status, about).toBeLessThan(500);
  // The documents are public: pages of other origins may read them, and nothing else.
  const headers = new Headers(response.headers);
  if (/^\/(docs\/|openapi-)/.test(path)) headers.delete('access-control-allow-origin');
  requireSafe(headers, response.status < 400 ? cached : /^no-store$/);
  return response;
}

function requireSafe(headers: Headers, cached: RegExp): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers.get('cache-control')).toMatch(cached);
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const leaked = [...headers.keys()].filter((name) =>
    /^(x-powered-by|server|via|set-cookie|access-control-.*)$/.test(name),
  );
  expect(leaked).toEqual([]);
}
