import { describe, expect, test } from 'vitest';
import { callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { converse } from './conversation.ts';
import { exchange } from './socket.ts';

const mebibyte = 1024 * 1024;
const batches = operations.flatMap(({ meta, routes }) =>
  meta.batch ? routes.filter(({ method }) => method === 'POST').map(({ path }) => path) : [],
);

const api = useApi();

describe('a body that is too large', () => {
  test('is refused by its declared length, before it is sent', async () => {
    const { status, json } = await exchange(
      api.url,
      post('/v2/categories', `Content-Length: ${mebibyte + 1}`),
    );
    expect({ status, code: json.error?.code }).toEqual({ status: 413, code: 'invalid_request' });
  });

  test('is refused while it is sent in chunks', async () => {
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
    const head = post('/v2/categories', 'Transfer-Encoding: chunked');
    const { status, json } = await exchange(api.url, head, { chunk, times: 20 });
    expect({ status, code: json.error?.code }).toEqual({ status: 413, code: 'invalid_request' });
  });

  test.each([2, 8])('of %i MiB shows the answer to a caller that is still sending', async (size) => {
    const head = post('/v2/categories', `Content-Length: ${size * mebibyte}`);
    const { status, json } = await exchange(api.url, head, {
      chunk: Buffer.alloc(mebibyte / 4, 32),
      times: size * 4,
    });
    expect({ status, code: json.error?.code }).toEqual({ status: 413, code: 'invalid_request' });
  });

  test('shows a refused credential first', async () => {
    const head = post('/v2/categories', `Content-Length: ${4 * mebibyte}`, 'no-such-key');
    const { status } = await exchange(api.url, head, { chunk: Buffer.alloc(mebibyte, 32), times: 4 });
    expect(status).toBe(401);
  });

  test('of exactly 1 MiB is read', async () => {
    const body = JSON.stringify({ name: 'Tea', priority: 1, visible: true }).padEnd(mebibyte, ' ');
    expect((await api.rest('POST /v2/categories', { body })).status).toBe(201);
    expect((await api.rest('POST /v2/categories', { body: `${body} ` })).status).toBe(413);
  });

  test.each(batches)('may have 8 MiB on %s', async (path) => {
    const headers = { 'idempotency-key': 'large' };
    const large = await api.rest(`POST ${path}`, { body: '{}'.padEnd(8 * mebibyte, ' '), headers });
    expect(large.status).toBe(422);
    const larger = await api.rest(`POST ${path}`, { body: '{}'.padEnd(8 * mebibyte + 1, ' '), headers });
    expect(larger.status).toBe(413);
  });
});

describe('what is hardly a request', () => {
  const rows: [about: string, bytes: string, statuses: number[]][] = [
    ['garbage', 'garbage\r\n\r\n', [400]],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['an unknown version', 'GET /v2/categories HTTP/9.9\r\nHost: x\r\n\r\n', [400, 505]],
    ['no host', 'GET /v2/categories HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
    ['a broken header', 'GET /v2/categories HTTP/1.1\r\nHost x\r\n\r\n', [400]],
    ['a space in the target', 'GET /v2/cat egories HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['headers of 20 KB', `GET /v2/categories HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, [431]],
    [
      'two lengths',
      'POST /v2/categories HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      [400],
    ],
    [
      'a length and chunks',
      'POST /v2/categories HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      [400],
    ],
    ['an absolute target of nothing', target('http://elsewhere.example/v2/nothing'), [404]],
    ['a broken absolute target', target('http://[bad/v2/categories'), [400]],
    ['a star', target('*'), [404]],
    ['two slashes', target('//v2/categories'), [404]],
    ['dots', target('/v2/../v2/categories'), [404]],
    ['a fragment', target('/v2/categories#x'), [404]],
    ['a broken absolute target for Express', target('http://[bad/docs'), [400]],
    ['a broken escape for Express', target('/docs/%zz'), [400, 404]],
    ['a broken escape for tRPC', target('/trpc/%zz'), [400, 404]],
  ];

  test.each(rows)('%s is answered in our form', async (_about, bytes, statuses) => {
    const { status, head, json } = await exchange(api.url, bytes);
    expect(statuses).toContain(status);
    expect(head).toMatch(/^content-type: application\/json/im);
    expect(Object.keys(json)).toEqual(['error']);
    expect(json.error?.code).toBe(status === 404 ? 'resource_not_found' : 'invalid_request');
    expect(head.toLowerCase()).toContain(`x-request-id: ${json.error?.request_id}`);
  });

  const known = operations.flatMap(({ routes }) => routes.map(({ path }) => path));
  const paths = [...new Set(known), '/v2/events/stream', '/healthz', '/readyz', '/metrics', '/docs/'];

  test.each(['patch', 'Post', 'PURGE', 'BREW'])(
    'the method %s is 405 with Allow at a known path, and 404 elsewhere',
    async (method) => {
      const heard = await Promise.all(paths.map((path) => ask(method, path)));
      for (const [index, { status, head, json }] of heard.entries()) {
        const path = paths[index];
        expect([path, status, json.error?.code]).toEqual([path, 405, 'invalid_request']);
        expect([path, json.error?.message]).toEqual([
          path,
          expect.stringContaining(`${method} is not allowed`),
        ]);
        expect([path, head]).toEqual([path, expect.stringMatching(/^allow: [A-Z]+(, [A-Z]+)*\r$/im)]);
      }
      expect((await ask(method, '/v2/nothing')).status).toBe(404);
      const after = `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${request(method, '/v2/orders')}`;
      expect((await converse(api.url, after)).map(({ status }) => status)).toEqual([200, 405]);
    },
  );

  const request = (method: string, path: string) =>
    `${method} ${path.replaceAll(/\{\w+\}/g, 'x')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const ask = (method: string, path: string) => exchange(api.url, request(method, path));

  test('a broken chunk is answered, and the server lives on', async () => {
    const { status } = await exchange(
      api.url,
      `${post('/v2/categories', 'Transfer-Encoding: chunked')}zz\r\n\r\n`,
    );
    expect(status).toBe(400);
    expect((await callRest(api.url, 'GET /healthz')).status).toBe(200);
  });

  function target(text: string): string {
    return `GET ${text} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  }
});

function post(path: string, header: string, key = api.key.key): string {
  const lines = ['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', header];
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
