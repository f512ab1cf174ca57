import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { exchange } from './socket.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface ErrorAnswer {
  error: { code: string; message: string; request_id: string };
}

/** One bad request: what is sent, and the status, code and part of the message that must come back. */
interface Row {
  about: string;
  route?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  answer: [status: number, code: string, message?: string];
}

const create = 'POST /v2/categories';
const category = { name: 'Tea', priority: 1, visible: true };
const withField = (json: string) => `{"name":"Tea","priority":1,"visible":true,${json}}`;
const type = (text: string) => ({ 'content-type': text });
const unreadable: Row['answer'] = [400, 'invalid_request'];
const unsupported: Row['answer'] = [415, 'invalid_request'];
const unknown: Row['answer'] = [404, 'resource_not_found'];
const refused = (message: string): Row['answer'] => [422, 'validation_error', message];

const bodies: Row[] = [
  { about: 'malformed JSON', body: '{"name":', answer: unreadable },
  { about: 'a NaN literal', body: withField('"x":NaN'), answer: unreadable },
  { about: 'a comment in JSON', body: '{"a":1} // b', answer: unreadable },
  { about: 'a byte order mark and nothing', body: '\ufeff', answer: unreadable },
  { about: 'invalid UTF-8', body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), answer: unreadable },
  { about: 'a surrogate in UTF-8', body: new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), answer: unreadable },
  { about: 'UTF-16', body: new Uint8Array(Buffer.from('{}', 'utf16le')), answer: unreadable },
  { about: 'JSON 20,000 deep', body: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, answer: unreadable },
  {
    about: 'arrays 20,000 deep',
    body: withField(`"a":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    answer: unreadable,
  },
  { about: 'a list', body: '[]', answer: refused('object') },
  { about: 'a text', body: '"x"', answer: refused('object') },
  { about: 'a number', body: '3', answer: refused('object') },
  { about: 'null', body: 'null', answer: refused('object') },
  { about: 'an empty object', body: '{}', answer: refused('name: ') },
  { about: 'an empty body', body: '', headers: type('application/json'), answer: refused('name: ') },
  { about: 'no body', answer: refused('name: ') },
  {
    about: 'text with U+0000',
    body: withField('"external_id":"a\\u0000b"'),
    answer: refused('external_id: '),
  },
  {
    about: 'an unpaired surrogate',
    body: withField('"external_id":"\\ud800"'),
    answer: refused('external_id: '),
  },
  {
    about: 'U+0000 in an unknown field',
    body: withField('"x":{"y":["\\u0000"]}'),
    answer: refused('x.y[0]: '),
  },
  {
    about: 'a number as text',
    body: '{"name":"Tea","priority":"1","visible":true}',
    answer: refused('priority: '),
  },
  {
    about: 'a boolean as text',
    body: '{"name":"Tea","priority":1,"visible":"true"}',
    answer: refused('visible: '),
  },
  {
    about: 'a boolean as number',
    body: '{"name":"Tea","priority":1,"visible":1}',
    answer: refused('visible: '),
  },
  {
    about: 'a number beyond range',
    body: '{"name":"Tea","priority":1e400,"visible":true}',
    answer: refused('priority: '),
  },
  {
    about: 'a fraction',
    body: '{"name":"Tea","priority":1.5,"visible":true}',
    answer: refused('priority: '),
  },
  { about: 'null for text', body: '{"name":null,"priority":1,"visible":true}', answer: refused('name: ') },
  { about: 'an empty name', body: '{"name":"","priority":1,"visible":true}', answer: refused('name: ') },
  {
    about: 'a control character',
    body: withField('"external_id":"a\\nb"'),
    answer: refused('external_id: '),
  },
  { about: 'several faults', body: '{"name":1,"priority":"x"}', answer: refused('; ') },
];

const types: Row[] = [
  { about: 'text/plain', headers: type('text/plain'), body: '{}', answer: unsupported },
  { about: 'application/jsonx', headers: type('application/jsonx'), body: '{}', answer: unsupported },
  {
    about: 'a form',
    headers: type('application/x-www-form-urlencoded'),
    body: 'name=Tea',
    answer: unsupported,
  },
  {
    about: 'multipart',
    headers: type('multipart/form-data; boundary=x'),
    body: '--x--',
    answer: unsupported,
  },
  { about: 'Latin-1', headers: type('application/json; charset=latin1'), body: '{}', answer: unsupported },
  {
    about: 'UTF-16 by name',
    headers: type('application/json;charset=utf-16'),
    body: '{}',
    answer: unsupported,
  },
  { about: 'no type', headers: type(''), body: '{}', answer: unsupported },
  { about: 'a compressed body', headers: { 'content-encoding': 'gzip' }, body: '{}', answer: unsupported },
];

const addresses: Row[] = [
  ...[
    '/v1/nothing',
    '/v2/',
    '/v1/',
    '/v2//categories',
    '/v2/categories/',
    '/V2/categories',
    '/v2/Categories',
  ],
  ...[
    '/v3/categories',
    '/v2/categories/x/y',
    '/v2/categories/by-external-id/',
    '/',
    '/nothing',
    '/trpc',
    '/docs/x',
  ],
].map((path) => ({ about: path, route: `GET ${path}`, answer: unknown }));

const encodings: Row[] = [
  ...[
    '/v2/categories/%zz',
    '/v2/categories/%',
    '/v2/categories/by-external-id/%E0%A4%A',
    '/v2/categories/%FF',
  ],
  ...[
    '/v2/categories?limit=%zz',
    '/v2/categories?limit=%E0%A4%A',
    '/v2/categories?%=1',
    '/v2/categories?x=%FF',
  ],
].map((path) => ({ about: path, route: `GET ${path}`, answer: unreadable }));

const queries: Row[] = [
  ...[
    'abc',
    '',
    '0x10',
    '1e1',
    '1E1',
    'NaN',
    'Infinity',
    '1e400',
    '+1',
    '01',
    '1.',
    '.5',
    '1.5',
    '-1',
    '0',
    '201',
  ],
  ...['99999999999999999999', '1_0', 'true', 'null', '1,2', '%201', '1%00', '%D9%A1'],
].map((value) => ({
  about: `limit=${value}`,
  route: `GET /v2/categories?limit=${value}`,
  answer: refused('limit: '),
}));

const moreQueries: Row[] = [
  { about: 'a repeated parameter', route: 'GET /v2/categories?limit=1&limit=1', answer: refused('limit: ') },
  { about: 'two faults', route: 'GET /v2/categories?limit=0&offset=x', answer: refused('; offset: ') },
  {
    about: 'too large an offset',
    route: 'GET /v2/categories?offset=2147483648',
    answer: refused('offset: '),
  },
  ...['1', '0', 'yes', 'TRUE', 'True', '', 'true,false'].map((value) => ({
    about: `visible=${value}`,
    route: `GET /v2/products?visible=${value}`,
    answer: refused('visible: '),
  })),
  { about: 'U+0000 in text', route: 'GET /v2/products?search=a%00b', answer: refused('search: ') },
  { about: 'repeated text', route: 'GET /v1/products?search=a&search=b', answer: refused('search: ') },
  { about: 'a date that is none', route: 'GET /v2/orders?from=2026-02-30', answer: refused('from: ') },
  { about: 'a moment as date', route: 'GET /v2/orders?from=2026-02-03T00:00:00Z', answer: refused('from: ') },
  {
    about: 'from after to',
    route: 'GET /v1/orders?from=2026-02-02&to=2026-02-01',
    answer: refused('from: '),
  },
  { about: 'an unknown status', route: 'GET /v1/orders?status=done', answer: refused('status: ') },
  { about: 'an unknown sort', route: 'GET /v2/orders?sort=constructor', answer: refused('sort: ') },
];

describe('REST refuses', () => {
  test.each([...bodies, ...types])('a body: $about', expectRefusal);
  test.each(addresses)('an unknown address: $about', expectRefusal);
  test.each(encodings)('broken encoding: $about', expectRefusal);
  test.each([...queries, ...moreQueries])('a query: $about', expectRefusal);

  async function expectRefusal({ route = create, body, headers = {}, answer }: Row): Promise<void> {
    const [status, code, message = ''] = answer;
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(api.url + path, {
      method,
      headers: {
        authorization: `Bearer ${api.key.key}`,
        ...(body !== undefined && type('application/json')),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const answered = (await response.json()) as ErrorAnswer;
    expect({ status: response.status, code: answered.error.code }).toEqual({ status, code });
    expect(answered.error.message).toContain(message);
    expect(Object.keys(answered)).toEqual(['error']);
    expect(Object.keys(answered.error)).toEqual(['code', 'message', 'request_id']);
    expect(response.headers.get('x-request-id')).toBe(answered.error.request_id);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
});

describe('REST accepts', () => {
  const spellings = [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;Charset="UTF8"',
  ];

  test.each([...spellings, 'application/json ; charset=UTF-8'])('the content type %s', async (text) => {
    const { status } = await api.rest(create, { body: category, headers: type(text) });
    expect(status).toBe(201);
  });

  test('members named __proto__ and constructor, and pollutes nothing', async () => {
    const body = withField(
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1',
    );
    expect((await api.rest(create, { body })).status).toBe(201);
    const query = '__proto__=1&constructor=2&__proto__[polluted]=3&toString=4&hasOwnProperty=5';
    expect((await api.rest(`GET /v2/categories?${query}`)).status).toBe(200);
    expect('polluted' in {}).toBe(false);
  });

  test('unknown fields and parameters, even repeated ones', async () => {
    expect((await api.rest(create, { body: { ...category, color: 'red' } })).status).toBe(201);
    expect((await api.rest('GET /v2/categories?color=red&color=blue&')).status).toBe(200);
  });

  test('an empty change, which changes nothing', async () => {
    const made = await api.rest<{ data: { id: string } }>(create, { body: category });
    const route = `PATCH /v2/categories/${made.body.data.id}`;
    for (const body of [undefined, '', '{}']) {
      const { status, body: answered } = await api.rest(route, body === undefined ? {} : { body });
      expect({ status, answered }).toEqual({ status: 200, answered: made.body });
    }
  });

  test('the last of duplicate members', async () => {
    const { body } = await api.rest<{ data: { name: string } }>(create, { body: withField('"name":"Last"') });
    expect(body.data.name).toBe('Last');
  });

  test('any character in an external_id, percent-encoded in the path', async () => {
    for (const [index, text] of ['A/1 b', '100%', '..', '\u{1f355}', 'a+b&c=d?e#f', '%2F', '"\\'].entries()) {
      const external_id = `${text}`;
      await api.rest(create, { body: { ...category, external_id } });
      const path = `/v2/categories/by-external-id/${encodeURIComponent(external_id).replaceAll('.', '%2E')}`;
      const answer = await exchange(
        api.url,
        request('GET', path, `Authorization: Bearer ${api.key.key}\r\n`),
      );
      expect([index, answer.status, answer.json.data?.external_id]).toEqual([index, 200, external_id]);
    }
  });
});

describe('a wrong method', () => {
  const allowed = new Map<string, Set<string>>();
  for (const { method, path } of operations.flatMap(({ routes }) => routes)) {
    const methods = allowed.get(path) ?? new Set();
    allowed.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }

  test.each([...allowed])('on %s answers 405 with Allow', async (path, methods) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'].filter(
      (each) => !methods.has(each),
    )) {
      const { status, body, headers } = await callRest<ErrorAnswer>(api.url, `${method} ${path}`);
      // Another path may match where this one is a literal: /v2/turns/current is also a /v2/turns/{id}.
      expect({ method, status, code: body.error.code }).toEqual({
        method,
        status: 405,
        code: 'invalid_request',
      });
      const names = (headers.get('allow') ?? '').split(', ');
      expect(names.sort()).toEqual([...methods].sort());
    }
  });
});

describe('HEAD', () => {
  test('answers as GET does, without the body', async () => {
    const head = await api.rest('HEAD /v2/categories');
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect((await callRest(api.url, 'HEAD /v2/categories')).status).toBe(401);
    expect((await api.rest('HEAD /v2/categories/unknown')).status).toBe(404);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'abc-DEF_1.2', 'x'.repeat(128)])('%s is kept, on successes and on errors', async (id) => {
    const headers = { 'x-request-id': id };
    expect((await api.rest('GET /v2/categories', { headers })).headers.get('x-request-id')).toBe(id);
    const { body } = await api.rest<ErrorAnswer>('GET /v2/nothing', { headers });
    expect(body.error.request_id).toBe(id);
    const refused = await callRest(api.url, 'GET /trpc/categories.list', { headers });
    expect(refused.headers.get('x-request-id')).toBe(id);
  });

  test.each(['x'.repeat(129), 'a b', 'é', '"', 'a,b'])('%s is replaced by one of ours', async (id) => {
    const answer = await api.rest('GET /v2/categories', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

function request(method: string, target: string, headers = ''): string {
  return `${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
}
