import { describe, expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { requireDocumented } from '../support/documented.ts';

const api = useApi();

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
  {
    about: 'JSON 20,000 deep',
    body: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    answer: refused('64 levels'),
  },
  {
    about: 'arrays 20,000 deep',
    body: withField(`"a":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    answer: refused('64 levels'),
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
  {
    about: 'two charsets',
    headers: type('application/json; charset=utf-8; charset=latin1'),
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
    '/trpcx',
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
    requireDocumented(method, path, { status: response.status, headers: response.headers, body: answered });
    expect({ status: response.status, code: answered.error.code }).toEqual({ status, code });
    expect(answered.error.message).toContain(message);
    expect(Object.keys(answered)).toEqual(['error']);
    expect(Object.keys(answered.error)).toEqual(['code', 'message', 'request_id']);
    expect(response.headers.get('x-request-id')).toBe(answered.error.request_id);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
});
