import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { callRest, useApi } from '../support/api.ts';

const api = useApi();

const category = JSON.stringify({ name: 'Tea', priority: 1, visible: true });

describe('what follows a good request on the same connection', () => {
  test('as garbage is answered after it, never in its place', async () => {
    const statuses = await statusesOf(`${post(category)}garbage\r\n\r\n`);
    expect(statuses).toEqual([201, 400]);
  });

  test('as a large header is answered after all that came before', async () => {
    const large = `GET /v2/categories HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await statusesOf(`${post(category)}${get('/v2/categories')}${large}`)).toEqual([201, 200, 431]);
  });

  test('as a broken chunk of its own body is answered once', async () => {
    const chunked = post('zz\r\n', 'Transfer-Encoding: chunked');
    expect(await statusesOf(chunked)).toEqual([400]);
    expect(await statusesOf(`${post(category)}${chunked}`)).toEqual([201, 400]);
  });

  test('is answered in order, however much it is', async () => {
    const statuses = await statusesOf(
      get('/v2/categories').repeat(100) + get('/v2/nothing', 'Connection: close'),
    );
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 200), 404]);
  });
});

test('HEAD that cannot be read is answered without a body (bug: its caller took that for another answer)', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(
      `${api.url}/v2/categories`,
      { method: 'HEAD', path: '/v2/categories?a=\xff' },
      (answer) => {
        answer.resume();
        answer.on('error', reject);
        answer.on('end', () => setImmediate(() => resolve(answer.statusCode)));
      },
    );
    asked.on('error', reject);
    asked.end();
  });
  expect(status).toBe(400);
});

describe('a request with a body that no operation takes', () => {
  test.each(['GET', 'HEAD'])(
    'over %s is answered, and its body is not taken for a request',
    async (method) => {
      const inner = get('/v2/smuggled');
      const bodied = `X-A: b\r\nContent-Length: ${inner.length}`;
      const outer = get('/v2/categories', bodied).replace('GET', method) + inner;
      expect(await statusesOf(outer + get('/healthz', 'Connection: close'))).toEqual([200, 200]);
      // A refusal ends the connection: what is left of the body is read, and dropped.
      expect(await statusesOf(outer.replace('/v2/categories', '/v2/nothing'))).toEqual([404]);
    },
  );

  test('hidden by a hundred headers is refused', async () => {
    const many = Array.from({ length: 2_500 }, () => 'a:').join('\r\n');
    expect(await statusesOf(get('/v2/categories', `${many}\r\nConnection: close`))).toEqual([431]);
  });
});

describe('what asks for more than HTTP', () => {
  test('as an upgrade is served as if it had not asked', async () => {
    const upgrade =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA';
    expect(await statusesOf(get('/v2/categories', upgrade), 1)).toEqual([200]);
    expect(await statusesOf(get('/v2/categories', 'Connection: Upgrade\r\nUpgrade: websocket'), 1)).toEqual([
      200,
    ]);
  });

  test('as a tunnel is refused', async () => {
    expect(await statusesOf('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([405]);
  });

  test('as an expectation is refused, except 100-continue', async () => {
    expect(await statusesOf(get('/v2/categories', 'Expect: tea\r\nConnection: close'))).toEqual([417]);
    const expecting = post(
      category,
      `Content-Length: ${category.length}\r\nExpect: 100-continue\r\nConnection: close`,
    );
    expect(await statusesOf(expecting)).toEqual([100, 201]);
  });
});

test('after all of it the server serves', async () => {
  expect((await callRest(api.url, 'GET /healthz')).status).toBe(200);
});

function get(path: string, header = 'X-A: b'): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key.key}\r\n${header}\r\n\r\n`;
}

function post(body: string, header = `Content-Length: ${body.length}`): string {
  const lines = ['Host: x', `Authorization: Bearer ${api.key.key}`, 'Content-Type: application/json', header];
  return `POST /v2/categories HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The statuses that come back until the server closes, or until there are `enough`. */
function statusesOf(bytes: string, enough = Number.POSITIVE_INFINITY): Promise<number[]> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    const statuses = () => [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
    const finish = () => {
      socket.destroy();
      resolve(statuses());
    };
    socket.setTimeout(20_000, () => reject(new Error(`the server neither answered nor closed: ${text}`)));
    socket.on('data', (chunk) => {
      // An answer's body ends without a line break: the next answer begins in its last line.
      text += chunk.toString().replaceAll('HTTP/1.1 ', '\nHTTP/1.1 ');
      if (statuses().length >= enough) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
  });
}
