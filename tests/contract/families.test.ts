import { describe, expect, it, test } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { restHandler } from '../../packages/api/src/http/rest/adapter.ts';
import { trpcHandler } from '../../packages/api/src/http/trpc/handler.ts';
import { useApi } from '../support/api.ts';
import { listening } from '../support/listening.ts';
import { useClosed } from '../support/use.ts';
import { familyRouter, given } from './family-router.ts';

// A field that one family alone has is declared once (families.ts). No such field is in the product today, so a router that has
// some is served by the handlers of the service.

const api = useApi();
const server = useClosed(async () => {
  const rest = restHandler(api.app, familyRouter);
  const isCall = trpcHandler(api.app, familyRouter);
  return listening((request, response) => {
    if (!isCall(request, response)) rest(request, response);
  });
});

async function call(route: string, body?: object, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${api.key.key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answered = JSON.parse(text) as {
    data?: unknown;
    result?: { data: unknown };
    error?: { message: string };
  };
  const data = [answered.data ?? answered.result?.data].flat()[0] as Record<string, unknown>;
  return { response, text, data, message: answered.error?.message };
}

const common = { name: 'One', price: 9999999999.9 };
const shape = {
  v1: { ...common, legacy_code: 'L-9', maker: { id: 'm' } },
  v2: { ...common, barcode: '779', maker: { id: 'm', country: 'UY' } },
} as const;

describe.each(['v1', 'v2'] as const)('an answer of %s has a field of the other family:', (family) => {
  test('of one', async () => {
    const { data, text } = await call(`GET /${family}/parts/x`);
    expect(data).toEqual({ id: 'x', ...shape[family] });
    expect(text).toContain('"price":9999999999.9,');
  });

  test('of a list', async () => {
    expect((await call(`GET /${family}/parts`)).data).toEqual({ id: '1', ...shape[family] });
  });

  test('of a list that is sent while it is read', async () => {
    const { data } = await call(`GET /${family}/exported-parts`);
    expect(data).toEqual({
      total: 2,
      parts: [
        { id: '1', ...shape[family] },
        { id: '2', ...shape[family] },
      ],
    });
  });

  test('of a value that a service made', async () => {
    const { data } = await call(`GET /${family}/shown`);
    const { barcode, legacy_code } = data;
    expect({ barcode, legacy_code, maker: data.maker }).toEqual(
      family === 'v1'
        ? { legacy_code: 'L', maker: { id: 'm' } }
        : { barcode: '779', maker: { id: 'm', country: 'UY' } },
    );
  });

  test('of a creation, and of its repeats to the byte', async () => {
    const key = { 'idempotency-key': `once-${family}` };
    const first = await call(`POST /${family}/parts`, { name: 'One' }, key);
    const again = await call(`POST /${family}/parts`, { name: 'One' }, key);
    const { barcode: _, ...rest } = { barcode: undefined, ...shape[family] };
    expect(first.data).toEqual({ id: first.data.id, ...rest, ...(family === 'v2' && { barcode: null }) });
    expect(first.response.headers.get('location')).toBe(`/${family}/parts/${String(first.data.id)}`);
    expect(again.response.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  });
});

test('the typed client gets a field of v1', async () => {
  expect((await call('POST /trpc/parts.get', { id: 'x' })).data).toEqual({ id: 'x', ...shape.v2 });
  const whole = { total: 2, parts: [{ ...shape.v2, id: '1' }, expect.anything()] };
  expect((await call('POST /trpc/parts.exported', {})).data).toEqual(whole);
  expect((await call('POST /trpc/parts.list', {})).data).toMatchObject({ data: [{ id: '1', ...shape.v2 }] });
  const created = { name: 'One', barcode: '779', idempotencyKey: 'of-the-client' };
  const first = await call('POST /trpc/parts.create', created);
  expect(first.data).toEqual({ id: first.data.id, ...shape.v2 });
  expect((await call('POST /trpc/parts.create', created)).text).toBe(first.text);
});

describe('a field of the other family in a body is written, or refused although nothing asks for that:', () => {
  const bodies = {
    v1: { name: 'One', legacy_code: 'L-1', barcode: 'longer than eight' },
    v2: { name: 'One', barcode: '779', legacy_code: 'L-1' },
  };
  it.each(['v1', 'v2'] as const)('%s', async (family) => {
    const key = { 'idempotency-key': `given-${family}` };
    const { response } = await call(`POST /${family}/parts`, bodies[family], key);
    const [own, other] = family === 'v1' ? ['legacy_code', 'barcode'] : ['barcode', 'legacy_code'];
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')).toBe(other);
    expect(given[0]).toEqual({ name: 'One', [own]: bodies[family][own as 'barcode'] });
    const strict = await call(`POST /${family}/parts`, bodies[family], {
      'idempotency-key': `strict-${family}`,
      prefer: 'handling=strict',
    });
    expect(strict.response.status).toBe(422);
    expect(strict.message).toBe(`${other}: is unknown`);
  });

  test('a parameter of the other family in a query', async () => {
    const ignored = await call('GET /v1/parts?barcode=7');
    expect(ignored.response.headers.get('x-ignored-fields')).toBe('barcode');
    expect(given[0]).not.toHaveProperty('barcode');
    await call('GET /v2/parts?barcode=7');
    expect(given[0]).toMatchObject({ barcode: '7' });
  });
});

it.each([
  ['v1', 'legacy_code', 'barcode'],
  ['v2', 'barcode', 'legacy_code'],
] as const)('a document shows a field of the other family: %s', async (family, own, other) => {
  const text = JSON.stringify(await openApiDocument(familyRouter, family));
  expect(text).toContain(`"${own}"`);
  expect(text).not.toContain(other);
  expect(text.includes('country')).toBe(family === 'v2');
});
