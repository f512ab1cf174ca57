import { describe, expect, test } from 'vitest';
import { callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { exchange } from './socket.ts';

const api = useApi();

interface ErrorAnswer {
  error: { code: string; message: string; request_id: string };
}

const create = 'POST /v2/categories';
const category = { name: 'Tea', priority: 1, visible: true };
const withField = (json: string) => `{"name":"Tea","priority":1,"visible":true,${json}}`;
const type = (text: string) => ({ 'content-type': text });

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
    expect((await api.rest(`GET /v1/products?${query}`)).status).toBe(200);
    expect('polluted' in {}).toBe(false);
  });

  test('unknown fields, and on v1 parameters, even repeated ones', async () => {
    expect((await api.rest(create, { body: { ...category, color: 'red' } })).status).toBe(201);
    expect((await api.rest('GET /v1/products?color=red&color=blue&')).status).toBe(200);
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

test('HEAD answers as GET does, without the body', async () => {
  const head = await api.rest('HEAD /v2/categories');
  expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  expect((await callRest(api.url, 'HEAD /v2/categories')).status).toBe(401);
  expect((await api.rest('HEAD /v2/categories/unknown')).status).toBe(404);
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

  test.each(['x'.repeat(129), 'a b', 'é', '"', 'a,b'])('%s is replaced by one of the service', async (id) => {
    const answer = await api.rest('GET /v2/categories', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

function request(method: string, target: string, headers = ''): string {
  return `${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
}
