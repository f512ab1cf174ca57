import { describe, expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { requireDocumented } from '../support/documented.ts';
import { words } from '../support/words.ts';

const api = useApi();

interface ErrorAnswer {
  error: { code: string; message: string; request_id: string };
}

/** The request as it is sent: a category is created unless the route is another. */
interface Sent {
  route?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** One bad request, and the status, code and part of the message that must come back. */
type Row = [about: string, sent: Sent, answer: [status: number, code: string, message?: string]];

const body = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Sent => ({
  body: text,
  headers,
});
const at = (route: string): Sent => ({ route });
const withField = (json: string) => `{"name":"Tea","priority":1,"visible":true,${json}}`;
const type = (text: string) => ({ 'content-type': text });
const unreadable: Row[2] = [400, 'invalid_request'];
const malformed = (place: string): Row[2] => [400, 'invalid_request', `malformed JSON at ${place}.`];
const unsupported = (message: string): Row[2] => [415, 'invalid_request', message];
const unknown: Row[2] = [404, 'resource_not_found'];
const refused = (message: string): Row[2] => [422, 'validation_error', message];

const bodies: Row[] = [
  ['malformed JSON', body('{"name":'), malformed('line 1, column 9')],
  ['a decimal comma', body('{\n  "price": 12,50\n}'), malformed('line 2, column 15')],
  ['single quotes', body("{'name':1}"), malformed('line 1, column 2')],
  ['a NaN literal', body(withField('"x":NaN')), malformed('line 1, column 47')],
  ['a comment in JSON', body('{"a":1} // b'), unreadable],
  ['a byte order mark and nothing', body('\ufeff'), unreadable],
  ['invalid UTF-8', body(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), unreadable],
  ['a surrogate in UTF-8', body(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])), unreadable],
  ['UTF-16', body(new Uint8Array(Buffer.from('{}', 'utf16le'))), unreadable],
  ['JSON 20,000 deep', body(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`), refused('64 levels')],
  [
    'arrays 20,000 deep',
    body(withField(`"a":${'['.repeat(20_000)}${']'.repeat(20_000)}`)),
    refused('64 levels'),
  ],
  ['a list', body('[]'), refused('object')],
  ['a text', body('"x"'), refused('object')],
  ['a number', body('3'), refused('object')],
  ['null', body('null'), refused('object')],
  ['an empty object', body('{}'), refused('name: ')],
  ['an empty body', body('', type('application/json')), refused('name: ')],
  ['no body', {}, refused('name: ')],
  ['text with U+0000', body(withField('"external_id":"a\\u0000b"')), refused('external_id: ')],
  ['an unpaired surrogate', body(withField('"external_id":"\\ud800"')), refused('external_id: ')],
  ['U+0000 in an unknown field', body(withField('"x":{"y":["\\u0000"]}')), refused('x.y[0]: ')],
  ['a number as text', body('{"name":"Tea","priority":"1","visible":true}'), refused('priority: ')],
  ['a boolean as text', body('{"name":"Tea","priority":1,"visible":"true"}'), refused('visible: ')],
  ['a boolean as number', body('{"name":"Tea","priority":1,"visible":1}'), refused('visible: ')],
  ['a number beyond range', body('{"name":"Tea","priority":1e400,"visible":true}'), refused('priority: ')],
  ['a fraction', body('{"name":"Tea","priority":1.5,"visible":true}'), refused('priority: ')],
  ['null for text', body('{"name":null,"priority":1,"visible":true}'), refused('name: ')],
  ['an empty name', body('{"name":"","priority":1,"visible":true}'), refused('name: ')],
  ['a control character', body(withField('"external_id":"a\\nb"')), refused('external_id: ')],
  ['several faults', body('{"name":1,"priority":"x"}'), refused('; ')],
];

const types: Row[] = [
  ['text/plain', body('{}', type('text/plain')), unsupported('is text/plain')],
  ['application/jsonx', body('{}', type('application/jsonx')), unsupported('is application/jsonx')],
  [
    'a form',
    body('name=Tea', type('application/x-www-form-urlencoded')),
    unsupported('x-www-form-urlencoded'),
  ],
  [
    'multipart',
    body('--x--', type('multipart/form-data; boundary=x')),
    unsupported('is multipart/form-data'),
  ],
  ['Latin-1', body('{}', type('application/json; charset=latin1')), unsupported('says charset=latin1')],
  ['UTF-16 by name', body('{}', type('application/json;charset=utf-16')), unsupported('says charset=utf-16')],
  [
    'two charsets',
    body('{}', type('application/json; charset=utf-8; charset=latin1')),
    unsupported('says charset=latin1'),
  ],
  ['no type', body('{}', type('')), unsupported('has no Content-Type')],
  ['a compressed body', body('{}', { 'content-encoding': 'gzip' }), unsupported('Content-Encoding is gzip')],
];

const addresses =
  words(`/ /nothing /trpcx /docs/x /v1/nothing /v1/ /v2/ /v2//categories /v2/categories/ /V2/categories
  /v2/Categories /v3/categories /v2/categories/x/y /v2/categories/by-external-id/`).map(
    (path): Row => [path, at(`GET ${path}`), unknown],
  );

const encodings =
  words(`/v2/categories/%zz /v2/categories/% /v2/categories/by-external-id/%E0%A4%A /v2/categories/%FF
  /v2/categories?limit=%zz /v2/categories?limit=%E0%A4%A /v2/categories?%=1 /v2/categories?x=%FF`).map(
    (path): Row => [path, at(`GET ${path}`), unreadable],
  );

const noNumbers = words(`abc 0x10 1e1 1E1 NaN Infinity 1e400 +1 01 1. .5 1.5 -1 0 201
  99999999999999999999 1_0 true null 1,2 %201 1%00 %D9%A1`);
const queries = ['', ...noNumbers].map(
  (value): Row => [`limit=${value}`, at(`GET /v2/categories?limit=${value}`), refused('limit: ')],
);

const moreQueries: Row[] = [
  ['a repeated parameter', at('GET /v2/categories?limit=1&limit=1'), refused('limit: ')],
  ['two faults', at('GET /v2/categories?limit=0&offset=x'), refused('; offset: ')],
  ['too large an offset', at('GET /v2/categories?offset=2147483648'), refused('offset: ')],
  ...['1', '0', 'yes', 'TRUE', 'True', '', 'true,false'].map(
    (value): Row => [`visible=${value}`, at(`GET /v2/products?visible=${value}`), refused('visible: ')],
  ),
  ['U+0000 in text', at('GET /v2/products?search=a%00b'), refused('search: ')],
  ['repeated text', at('GET /v1/products?search=a&search=b'), refused('search: ')],
  ['a date that is none', at('GET /v2/orders?from=2026-02-30'), refused('from: ')],
  ['a moment as date', at('GET /v2/orders?from=2026-02-03T00:00:00Z'), refused('from: ')],
  ['from after to', at('GET /v1/orders?from=2026-02-02&to=2026-02-01'), refused('from: ')],
  ['an unknown status', at('GET /v1/orders?status=done'), refused('status: ')],
  ['an unknown sort', at('GET /v2/orders?sort=constructor'), refused('sort: ')],
];

describe('REST refuses', () => {
  test.each([...bodies, ...types])('a body: %s', expectRefusal);
  test.each(addresses)('an unknown address: %s', expectRefusal);
  test.each(encodings)('broken encoding: %s', expectRefusal);
  test.each([...queries, ...moreQueries])('a query: %s', expectRefusal);

  async function expectRefusal(...[_about, sent, [status, code, message = '']]: Row): Promise<void> {
    const { route = 'POST /v2/categories', body, headers = {} } = sent;
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
