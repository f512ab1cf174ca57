import { describe, expect, test } from 'vitest';
import { namesInHeader } from '../../packages/api/src/call/unknown-fields.ts';
import { startServer } from '../../packages/api/src/http/server.ts';
import { startTestApi, useApi } from '../support/api.ts';
import { askRaw } from '../support/raw.ts';
import { converse } from './conversation.ts';

const api = useApi();

test.each([
  ['without a key names no error', {}, 'Bearer'],
  ['for a key that is not valid names it', { key: 'cmd_live_wrong' }, 'Bearer error="invalid_token"'],
] as const)('the challenge of a 401: %s', async (_about, { key }: { key?: string }, challenge) => {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  for (const route of ['GET /v2/orders', 'GET /trpc/orders.list']) {
    const { status, headers: answered } = await askRaw(api.url, route, headers);
    expect([route, status, answered['www-authenticate']]).toEqual([route, 401, challenge]);
  }
});

test.each([
  ['a media type', { 'content-type': 'text/plain' }, 'accept', 'application/json'],
  ['a coding', { 'content-encoding': 'gzip' }, 'accept-encoding', 'identity'],
] as const)('a 415 says what would have been taken: %s', async (_about, headers, name, value) => {
  const answer = await api.rest('POST /v2/categories', { body: '{}', headers });
  expect([answer.status, answer.headers.get(name)]).toEqual([415, value]);
});

describe('the fields that fail', () => {
  test('are in a header, in the order of the message', async () => {
    const { status, headers, body } = await api.rest('POST /v2/orders', {
      headers: { 'idempotency-key': 'fields' },
      body: { is_take_away: 1, identifier: '', external_id: 'x', payment_method_id: 'x', items: [{}] },
    });
    const named = (headers.get('x-error-fields') ?? '').split(', ').map(decodeURIComponent);
    expect([status, named]).toEqual([422, ['is_take_away', 'items[0].product_id', 'items[0].quantity']]);
    expect(Object.keys((body as { error: object }).error)).toEqual(['code', 'message', 'request_id']);
  });

  test('fit in a header, with any name', async () => {
    const names = ['é', '😀', 'a, b', 'x\ny', 'z'.repeat(200)];
    const { status, headers } = await api.rest('POST /v2/categories', {
      headers: { prefer: 'handling=strict' },
      body: { name: 'A', priority: 1, visible: true, ...Object.fromEntries(names.map((name) => [name, 1])) },
    });
    const header = headers.get('x-error-fields') ?? '';
    expect(status).toBe(422);
    expect(header).toMatch(/^[!-~]+(, [!-~]+)*$/);
    expect(header.length).toBeLessThanOrEqual(1_024);
  });

  test('are not named where none is', async () => {
    const { headers } = await api.rest('GET /v2/orders/unknown');
    expect(headers.get('x-error-fields')).toBeNull();
  });
});

test('an unpaired surrogate in a name is sent as the replacement character', () => {
  expect(namesInHeader(['a\ud800', 'z'.repeat(2_000), 'b'])).toBe('a%EF%BF%BD, b');
});

test('a short catalog has the tag of its contents, also for a caller that takes gzip', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  const short = await api.rest('GET /v2/catalog', { headers });
  const etag = short.headers.get('etag') ?? '';
  expect([short.status, short.headers.get('content-encoding')]).toEqual([200, null]);
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(etag).not.toContain('-gzip');
  const again = await api.rest('GET /v2/catalog', { headers: { ...headers, 'if-none-match': etag } });
  expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
});

test('HEAD of a stream returns its head, and ends', async () => {
  const headers = { authorization: `Bearer ${api.key.key}` };
  const head = await fetch(`${api.url}/v2/events/stream`, { method: 'HEAD', headers });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    '',
  ]);
});

test('OPTIONS of the server as a whole is answered', async () => {
  const [answer] = await converse(api.url, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', { enough: 1 });
  expect([answer?.status, answer?.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, PATCH, DELETE']);
});

test('another version of HTTP in the request line is refused', async () => {
  const [answer] = await converse(api.url, 'GET /v2/orders HTTP/2.0\r\nHost: x\r\n\r\n');
  expect([answer?.status, answer?.headers.get('x-error-reason')]).toEqual([505, 'unknown_http_version']);
});

test('a server on every address says where it is reached', async () => {
  const { app, close } = await startTestApi();
  for (const host of ['::', '0.0.0.0']) {
    const server = await startServer(app, { host, port: 0 });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.drain(1_000);
  }
  await close();
});

describe('a page of another origin', () => {
  const from = { headers: { origin: 'https://elsewhere.example' } };

  test.each(['/openapi-v1.json', '/openapi-v2.json', '/docs/'])(
    'may read %s, without a credential',
    async (path) => {
      const { headers } = await fetch(api.url + path, from);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  test.each(['/', '/v2/orders', '/trpc/orders.list', '/app', '/metrics', '/readyz', '/docs/nothing'])(
    'may not read %s',
    async (path) => {
      const { headers } = await fetch(api.url + path, { ...from, redirect: 'manual' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});
