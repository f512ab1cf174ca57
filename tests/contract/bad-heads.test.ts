import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultBounds } from '../../packages/api/src/http/bounds.ts';
import { startServer } from '../../packages/api/src/http/server.ts';
import { useApi } from '../support/api.ts';
import { converse, type Heard } from './conversation.ts';
import { type Door, doors, openDoors, restDoors, trpcDoors } from './doors.ts';

const api = useApi();

const goodHosts = [
  'x',
  'X',
  'api.example.com',
  'api.example.com.',
  'a_b:8080',
  'x:',
  'x:65535',
  '127.0.0.1:3000',
  '[::1]',
  '[::1]:3000',
  '[::ffff:127.0.0.1]',
  "!$&'()*+,;=",
  'a%2Db',
];
const badHosts = [
  '',
  ' ',
  'a b',
  '[::1',
  '::1',
  '[::1]x',
  '[]',
  '[x]',
  'evil/../x',
  'evil/',
  'a?b',
  'a#b',
  'a\\b',
  'user@x',
  'user:pw@x',
  'http://x',
  ':80',
  'x:y',
  'x:80:80',
  'x:65536',
  'x: 80',
  'a"b',
  '<x>',
  'a%zz',
  'a%2Fb',
  'a%00b',
  'a\tb',
  'b\xfccher',
  '999.1.1.1',
  '[1.2.3.4]',
];

/** Header lines of a request that is refused for them alone, by what is wrong. */
const badLines: Record<string, string[]> = {
  'Authorization twice': ['Authorization: Bearer other'],
  'Authorization twice, once empty': ['authorization:'],
  'Content-Type twice': ['content-type: text/plain'],
  'Content-Type twice, alike': ['Content-Type: application/json'],
  'Idempotency-Key twice': ['Idempotency-Key: b'],
  'Idempotency-Key twice, alike': ['IDEMPOTENCY-KEY: a'],
  'Host twice': ['Host: elsewhere.example'],
  'Host twice, alike': ['HOST: x'],
};

test.each(doors)('a head with two meanings is refused at $method $target', async (door) => {
  const hosts = ['a b', '[::1', 'evil/../x', ''];
  const requests = [
    ...Object.values(badLines).map((lines) => request(door, { lines })),
    ...hosts.map((host) => request(door, { host })),
  ];
  const heard = await converse(api.url, requests.join(''), { enough: requests.length });
  expect(heard.map(({ status }) => status)).toEqual(requests.map(() => 400));
  for (const answer of heard) requireRefusal(answer, 'unreadable_request');
});

describe('Host', () => {
  test.each(badHosts)('"%s" is refused', async (host) => {
    const [answer] = await converse(api.url, request({ method: 'GET', target: '/v2/limits' }, { host }), {
      enough: 1,
    });
    requireRefusal(answer, 'unreadable_request');
    expect(answer?.status).toBe(400);
  });

  test.each(goodHosts)('%s is served, over REST, tRPC and where no key is needed', async (host) => {
    const targets = ['/v2/limits', '/trpc/limits.get', '/healthz', '/docs/'];
    const requests = targets.map((target) => request({ method: 'GET', target }, { host }));
    const heard = await converse(api.url, requests.join(''), { enough: requests.length });
    expect(heard.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('may be left out in HTTP/1.0 alone, and is read there when it is given', async () => {
    const old = (line: string) => statusOf(`GET /healthz HTTP/1.0\r\n${line}\r\n`);
    expect(await old('')).toBe(200);
    expect(await old('Host: x\r\n')).toBe(200);
    expect(await old('Host: a b\r\n')).toBe(400);
    expect(await old('Host: x\r\nHost: y\r\n')).toBe(400);
    expect(await statusOf('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).toBe(400);
  });

  test('is found in any case', async () => {
    expect(await statusOf('GET /healthz HTTP/1.1\r\nhOsT: a b\r\nConnection: close\r\n\r\n')).toBe(400);
  });
});

test('a key for repeats that is sent twice makes nothing (bug: it was taken as "a, b")', async () => {
  const body = JSON.stringify({ name: 'Twice', priority: 1, visible: true });
  const lines = ['Idempotency-Key: b', `Content-Length: ${body.length}`, 'Connection: close'];
  const door = { method: 'POST', target: '/v2/categories' };
  expect(await statusOf(request(door, { lines }) + body)).toBe(400);
  const { text } = await api.rest('GET /v2/categories');
  expect(text).not.toContain('Twice');
});

test.each(doors)(
  'an unknown transfer coding is answered with 501, and the connection is closed, at $method $target',
  async (door) => {
    const lines = ['Transfer-Encoding: gzip, chunked'];
    const next = request({ method: 'GET', target: '/healthz' });
    const heard = await converse(api.url, `${request(door, { lines })}2\r\n{}\r\n0\r\n\r\n${next}`);
    expect(heard[0]?.status).toBe(501);
    expect(heard[0]?.headers.get('connection')).toBe('close');
    requireRefusal(heard[0], 'unknown_transfer_coding');
  },
);

describe('Transfer-Encoding', () => {
  const statusWith = (lines: string[]) => {
    const head = request({ method: 'POST', target: '/v2/categories' }, { lines, key: randomUUID() });
    return statusOf(`${head}2\r\n{}\r\n0\r\n\r\n`);
  };

  test.each([
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'xchunked',
    'identity',
    'x',
    '',
    'identity, chunked',
    ', chunked',
    'chunked;a=b',
    'chunked, ',
    'gzip, deflate, chunked',
    '"chunked"',
  ])('"%s" is 501', async (coding) => {
    expect(await statusWith([`Transfer-Encoding: ${coding}`, 'Connection: close'])).toBe(501);
  });

  test('in two lines is 501', async () => {
    expect(await statusWith(['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'])).toBe(501);
    expect(await statusWith(['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip'])).toBe(501);
  });

  test('with a length is 400', async () => {
    expect(await statusWith(['Content-Length: 2', 'Transfer-Encoding: gzip, chunked'])).toBe(400);
    expect(await statusWith(['Transfer-Encoding: chunked', 'Content-Length: 2'])).toBe(400);
  });

  test.each(['chunked', 'Chunked', 'CHUNKED '])('%s is read', async (coding) => {
    expect(await statusWith([`Transfer-Encoding: ${coding}`, 'Connection: close'])).toBe(422);
  });
});

describe('an absolute target is served as the same one without scheme and host:', () => {
  const readers = [...restDoors, ...trpcDoors, ...openDoors].filter(({ method }) => method === 'GET');

  test.each(readers)('$target', async ({ method, target }) => {
    const requests = [target, `http://api.example.com:3000${target}`].map((each) =>
      request({ method, target: each }),
    );
    const [origin, absolute] = await converse(api.url, requests.join(''), { enough: 2 });
    expect(absolute?.status).toBe(origin?.status);
    expect(absolute?.headers.get('content-type')).toBe(origin?.headers.get('content-type'));
    expect(absolute?.headers.get('x-error-reason')).toBe(origin?.headers.get('x-error-reason'));
  });

  test('a stream', async () => {
    const target = 'http://x/v2/events/stream?after=latest';
    const lines = ['Connection: close'];
    const heard = await converse(api.url, request({ method: 'GET', target: `${target}&x=1` }, { lines }));
    expect(heard[0]?.headers.get('x-error-reason')).toBe('unknown_parameter');
  });

  test('a write, by any scheme of the web in any case', async () => {
    const body = JSON.stringify({ name: 'Absolute', priority: 1, visible: true });
    for (const scheme of ['http', 'https', 'HTTP']) {
      const door = { method: 'POST', target: `${scheme}://x/v2/categories` };
      expect(await statusOf(request(door, { lines: [`Content-Length: ${body.length}`] }) + body)).toBe(201);
    }
  });

  test.each([
    ['http://x', 404],
    ['http://x?a=1', 404],
    ['http://x//v2/limits', 404],
    ['http://x/v2/../v2/limits', 404],
    ['ftp://x/v2/limits', 404],
    ['*', 404],
  ])('%s is %i, as without', async (target, status) => {
    expect(await statusOf(request({ method: 'GET', target }))).toBe(status);
  });

  test.each(['http:///v2/limits', 'http://a@b/v2/limits', 'http://[::1/v2/limits', 'http://x:y/v2/limits'])(
    '%s is refused',
    async (target) => {
      const [answer] = await converse(api.url, request({ method: 'GET', target }), { enough: 1 });
      expect(answer?.status).toBe(400);
    },
  );

  test('but with an invalid Host it is refused', async () => {
    const door = { method: 'GET', target: 'http://x/healthz' };
    expect(await statusOf(request(door, { host: 'a b' }))).toBe(400);
    expect(await statusOf(request(door, { lines: ['Host: y'] }))).toBe(400);
  });
});

describe('Date is in the answer to', () => {
  let slow: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    const bounds = { ...defaultBounds, headersTimeoutMs: 100, requestTimeoutMs: 100, checkEveryMs: 20 };
    slow = await startServer(api.app, { host: '127.0.0.1', port: 0 }, bounds);
  });
  afterAll(() => slow.drain(1_000));

  const large = `X: ${'x'.repeat(20_000)}`;
  test.each([
    ['garbage', 400, 'garbage\r\n\r\n'],
    ['CONNECT', 405, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['large headers', 431, `GET / HTTP/1.1\r\nHost: x\r\n${large}\r\n\r\n`],
    ['a coding behind chunks', 501, 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, x\r\n\r\n'],
    ['two lengths', 400, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['an expectation', 417, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n'],
  ])('%s', async (_about, status, bytes) => {
    const [answer] = await converse(api.url, bytes);
    expect(answer?.status).toBe(status);
    requireDate(answer);
  });

  test('a head that does not come', async () => {
    const [answer] = await converse(slow.url, 'GET /v2/limits HTTP/1.1\r\n');
    expect(answer?.status).toBe(408);
    requireDate(answer);
  });

  test.each([...restDoors, ...trpcDoors, ...openDoors])('$method $target', async (door) => {
    const [answer] = await converse(api.url, request(door), { enough: 1 });
    requireDate(answer);
  });
});

function request({ method, target }: Door, { host = 'x', lines = [] as string[], key = 'a' } = {}): string {
  const all = [
    `Host: ${host}`,
    `Authorization: Bearer ${api.key.key}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    ...lines,
  ];
  return `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}

async function statusOf(bytes: string): Promise<number | undefined> {
  return (await converse(api.url, bytes, { enough: 1 }))[0]?.status;
}

function requireRefusal(answer: Heard | undefined, reason: string): void {
  const { error } = JSON.parse(answer?.body ?? '{}') as { error?: { code: string; request_id: string } };
  expect(error?.code).toBe('invalid_request');
  expect(answer?.headers.get('x-error-reason')).toBe(reason);
  expect(answer?.headers.get('x-request-id')).toBe(error?.request_id);
  requireDate(answer);
}

function requireDate(answer: Heard | undefined): void {
  const date = answer?.headers.get('date') ?? '';
  expect(date).toBe(new Date(date).toUTCString());
}
