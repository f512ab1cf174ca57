import { describe, expect, test } from 'vitest';
import { ErrorData } from '../../packages/api/src/call/error-data.ts';
import { reasonsOf } from '../../packages/api/src/reasons.ts';
import { callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { parseStrict } from '../support/strict.ts';
import { openKitchen } from './kitchen.ts';

const api = useApi();

interface TrpcAnswer {
  error: { message: string; data: { code: string; httpStatus: number; requestId: string } };
}

/** The request as it is sent: a category is created unless the route is another. */
interface Sent {
  route?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** One bad call, and the status, code and part of the message that must come back. */
type Row = [about: string, sent: Sent, answer: [status: number, code: string, message?: string]];

const create = 'POST /trpc/categories.create';
const body = (text: string, headers: Record<string, string> = {}): Sent => ({ body: text, headers });
const at = (route: string, text?: string): Sent => ({ route, ...(text !== undefined && { body: text }) });
const malformed: Row[2] = [400, 'invalid_request'];
const unknown: Row[2] = [404, 'resource_not_found'];
const notAllowed: Row[2] = [405, 'invalid_request'];
const list = (input: string) => `GET /trpc/categories.list?input=${encodeURIComponent(input)}`;
const withField = (json: string) => `{"name":"Tea","priority":1,"visible":true,${json}}`;
const refused = (message: string): Row[2] => [422, 'validation_error', message];
const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

const rows: Row[] = [
  ['malformed JSON', body('{"name":'), malformed],
  ['JSON 20,000 deep', body(deep), [422, 'validation_error']],
  ['another content type', body('{}', { 'content-type': 'text/plain' }), [415, 'invalid_request']],
  ['more than 8 MiB', body(' '.repeat(8 * 1024 * 1024 + 1)), [413, 'invalid_request']],
  ['a list', body('[]'), refused('')],
  ['a text', body('"x"'), refused('')],
  ['null', body('null'), refused('')],
  ['nothing', {}, [415, 'invalid_request']],
  ['an empty object', body('{}'), refused('name: ')],
  ['a number as text', body(withField('"priority":"1"')), refused('priority: ')],
  ['a number beyond range', body(withField('"priority":1e400')), refused('priority: ')],
  ['text with U+0000', body(withField('"external_id":"\\u0000"')), refused('external_id: ')],
  ['an unpaired surrogate', body(withField('"external_id":"\\udfff"')), refused('external_id: ')],
  ['an unknown operation', at('POST /trpc/categories.explode', '{}'), unknown],
  ['a name from Object', at('GET /trpc/constructor'), unknown],
  ['a name from Object below', at('GET /trpc/categories.__proto__'), unknown],
  ['a mutation by GET', at('GET /trpc/categories.create'), notAllowed],
  ['another method', at('PUT /trpc/categories.create', '{}'), notAllowed],
  ['malformed JSON in the query', at(list('{"limit":')), malformed],
  ['broken encoding in the query', at('GET /trpc/categories.list?input=%zz'), malformed],
  ['text for a number', at(list('{"limit":"1"}')), refused('limit: ')],
  ['too large a limit', at(list('{"limit":201}')), refused('limit: ')],
];

describe('tRPC refuses', () => {
  test.each(rows)('%s', async (_about, { route = create, ...sent }, [status, code, message = '']) => {
    const answered = await api.rest<TrpcAnswer>(route, sent);
    expect(answered.status, answered.text.slice(0, 300)).toBe(status);
    const { data, message: said } = answered.body.error;
    const { reason, ...rest } = parseStrict(ErrorData, data);
    expect(rest).toMatchObject({
      code,
      httpStatus: answered.status,
      requestId: answered.headers.get('x-request-id'),
    });
    expect(reasonsOf(answered.status)).toContain(reason);
    expect(said).toContain(message);
    expect(answered.text).not.toMatch(/stack|node_modules/);
  });

  test.each([
    ['OPTIONS', 'categories.list', 'GET, POST'],
    ['OPTIONS', 'categories.create', 'POST'],
    ['OPTIONS', 'events.watch', 'GET'],
    ['OPTIONS', 'nothing', 'GET, POST'],
    ['OPTIONS', 'categories.list,orders.list', 'GET, POST'],
    ['DELETE', 'categories.list', 'GET, POST'],
    ['PATCH', 'categories.create', 'POST'],
  ])('%s of /trpc/%s, which has no body, by 405 with Allow', async (method, name, allow) => {
    const { status, body, headers } = await api.rest<TrpcAnswer>(`${method} /trpc/${name}`);
    expect(status).toBe(405);
    expect(body.error.data).toMatchObject({ code: 'invalid_request', reason: 'method_not_allowed' });
    expect(headers.get('allow')).toBe(allow);
  });

  test('more calls in one request than ten', async () => {
    const batch = (count: number) => {
      const names = Array.from({ length: count }, () => 'categories.list').join(',');
      const input = JSON.stringify(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [index, {}])),
      );
      return api.rest(`GET /trpc/${names}?batch=1&input=${encodeURIComponent(input)}`);
    };
    expect((await batch(10)).status).toBe(200);
    expect((await batch(11)).status).toBe(400);
  });

  test('each call of a batch by itself', async () => {
    const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: { id: 'unknown' } }));
    const path = `/trpc/categories.list,categories.get?batch=1&input=${input}`;
    const { status, body } = await api.rest<unknown>(`GET ${path}`);
    expect(status).toBe(207);
    expect(body).toMatchObject([
      { result: { data: { data: [] } } },
      { error: { data: { code: 'resource_not_found' } } },
    ]);
  });
});

test.each([
  'DELETE /trpc/catalog.get?input=%7b%7d',
  'GET /trpc/webhookEndpoints.rotateSecret,catalog.get?batch=1&input=%7b%7d',
  'GET /trpc/categories.list?input=%7b',
  'GET /trpc/nothing',
])(
  'tRPC answers JSON and says so, also when it refuses before it knows the procedure (it said text/plain): %s',
  async (route) => {
    const { status, headers } = await api.rest<unknown>(route);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  },
);

describe('tRPC accepts', () => {
  test('members named __proto__ and constructor, and pollutes nothing', async () => {
    const body = withField('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}');
    expect((await api.rest(create, { body })).status).toBe(200);
    expect('polluted' in {}).toBe(false);
  });

  test('every query without input where none is required', async () => {
    const free = operations.filter(({ kind, input }) => kind === 'query' && input.safeParse({}).success);
    expect(free.length).toBeGreaterThan(0);
    const { key } = await openKitchen(api);
    for (const { name } of free) {
      const { status, text } = await callRest(api.url, `GET /trpc/${name}?input=%7B%7D`, { key });
      expect({ name, status, text: status === 200 ? '' : text }).toEqual({ name, status: 200, text: '' });
    }
  });
});
