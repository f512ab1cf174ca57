import { comandaError, tagOf } from '@comanda/client';
import { describe, expect, test } from 'vitest';
import { takesIfMatch } from '../../packages/api/src/call/operations.ts';
import { refusalOf } from '../support/answers.ts';
import { type Call, callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { words } from '../support/words.ts';
import { openKitchen, writeIn } from './kitchen.ts';
import { stateOf } from './state.ts';

const routed = operations.flatMap((operation) =>
  operation.routes.map((route) => ({ name: `${route.method} ${route.path}`, operation, route })),
);
const guarded = routed.filter(({ operation }) => takesIfMatch(operation));
const untagged = routed.filter(
  ({ operation: { meta, kind } }) =>
    meta.tag === undefined && !(kind === 'query' && meta.conditional === true),
);
const perOperation = operations.filter(takesIfMatch);

const api = useApi();

type Routed = (typeof routed)[number];

/** A kitchen with what the operation changes, its input without the id, and the call that changes it. */
async function begin({ operation, route }: Routed) {
  const kitchen = await openKitchen(api);
  const { id, ...input } = await writeIn(kitchen, operation);
  const query = new URLSearchParams();
  if (route.method === 'GET')
    for (const [name, value] of Object.entries(input)) query.set(name, String(value));
  const path = `${route.path.replace('{id}', String(id))}${query.size > 0 ? `?${query}` : ''}`;
  const table = operation.meta.tag;
  return {
    kitchen,
    input,
    send: (headers: Record<string, string> = {}) =>
      callRest(api.url, `${route.method} ${path}`, {
        key: kitchen.key,
        headers,
        ...(route.method !== 'GET' && Object.keys(input).length > 0 && { body: input }),
      } satisfies Call),
    async tag() {
      const [row] = await api.sql(`select revision from ${table} where id = $1`, [id]);
      return `"${id}-${row?.revision}"`;
    },
    state: () => stateOf(api.sql, kitchen.locationId),
  };
}

test('the resources of the contract have operations that take If-Match', () => {
  expect([...new Set(perOperation.map(({ meta }) => meta.tag))].sort()).toEqual(
    words('categories locations menus orders products subselection_items subselections webhook_endpoints'),
  );
});

describe('a change with If-Match', () => {
  test.each(guarded)('changes nothing when the tag is another one: $name', async (each) => {
    const { send, tag, state } = await begin(each);
    const [before, present] = [await state(), await tag()];
    for (const header of ['"stale"', `W/${present}`, `"stale", W/${present}`, present.slice(1, -1), '']) {
      const refused = await send({ 'if-match': header });
      refusalOf(refused, 412, 'invalid_request');
      expect(refused.headers.get('x-error-reason')).toBe('changed_since');
      expect(refused.headers.get('etag')).toBe(present);
    }
    expect(await state()).toEqual(before);
  });

  test.each(guarded)('is made when the tag is the present one, and has another then: $name', async (each) => {
    const { send, tag } = await begin(each);
    const present = await tag();
    const done = await send({ 'if-match': `"other", ${present.slice(0, -1)}-gzip"` });
    expect(done.status).toBe(200);
    if (each.operation.name.endsWith('.delete')) return;
    expect(done.headers.get('etag')).toBe(await tag());
    expect(await tag()).not.toBe(present);
  });

  test.each(guarded)(
    'is made when it names any state, and answers 404 where there is none: $name',
    async (each) => {
      const { send } = await begin(each);
      expect((await send({ 'if-match': '*' })).status).toBe(200);
      const absent = each.route.path.replace('{id}', crypto.randomUUID());
      const { kitchen, input: body } = await begin(each);
      for (const header of ['*', '"stale"'])
        refusalOf(
          await callRest(api.url, `${each.route.method} ${absent}`, {
            key: kitchen.key,
            headers: { 'if-match': header },
            ...(Object.keys(body).length > 0 && { body }),
          }),
          ...([404, 'resource_not_found'] as const),
        );
    },
  );

  test.each(guarded)('answers what it answered, when it is repeated with its key: $name', async (each) => {
    const { send, tag } = await begin(each);
    const headers = { 'if-match': await tag(), 'idempotency-key': 'once' };
    const first = await send(headers);
    expect(first.status).toBe(200);
    const again = await send(headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('a write with If-None-Match', () => {
  test.each(guarded)(
    'of v2 is refused where it names the present tag, and v1 says that it ignores it: $name',
    async (each) => {
      const { send, tag, state } = await begin(each);
      const [before, present] = [await state(), await tag()];
      for (const header of [present, `W/${present}`, `"other", ${present.slice(0, -1)}-gzip"`, '*']) {
        if (each.route.version === 'v1') continue;
        const refused = await send({ 'if-none-match': header });
        refusalOf(refused, 412, 'invalid_request');
        expect(refused.headers.get('x-error-reason')).toBe('tag_matches');
        expect(refused.headers.get('etag')).toBe(present);
        expect(await state()).toEqual(before);
      }
      const done = await send({ 'if-none-match': each.route.version === 'v1' ? present : '"other"' });
      const ignored = done.headers.get('x-ignored-fields')?.split(', ') ?? [];
      expect([done.status, ignored.includes('If-None-Match')]).toEqual([200, each.route.version === 'v1']);
    },
  );

  test.each(untagged.filter(({ operation: { kind } }) => kind === 'mutation'))(
    'is made where nothing has a tag, and says that the header is ignored: $name',
    async (each) => {
      const { send } = await begin(each);
      const answer = await send({ 'if-none-match': '*', 'idempotency-key': 'once' });
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get('x-ignored-fields')?.split(', ')).toContain('If-None-Match');
    },
  );
});

describe('without a tag', () => {
  test.each(untagged.filter(({ route }) => route.version === 'v2'))(
    'If-Match is refused, and changes nothing: $name',
    async (each) => {
      const { send, state } = await begin(each);
      const before = await state();
      const refused = await send({ 'if-match': '*', 'idempotency-key': 'once' });
      refusalOf(refused, 412, 'invalid_request');
      expect(refused.headers.get('x-error-reason')).toBe('no_tag');
      expect(await state()).toEqual(before);
    },
  );

  test.each(untagged.filter(({ route }) => route.version === 'v1'))(
    'v1 ignores it, and says so: $name',
    async (each) => {
      const { send } = await begin(each);
      const answer = await send({ 'if-match': '"any"' });
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get('x-ignored-fields')?.split(', ')).toContain('If-Match');
    },
  );
});

test('a read answers 304 only where its tag covers the whole body', async () => {
  const kitchen = await openKitchen(api);
  const read = (path: string, headers = {}) =>
    callRest(api.url, `GET ${path}`, { key: kitchen.key, headers });
  for (const [path, covers] of [
    [`/v2/products/${kitchen.product.id}`, false],
    [`/v1/products/${kitchen.product.id}`, false],
    [`/v2/categories/${kitchen.category.id}`, true],
    [`/v1/categories/${kitchen.category.id}`, true],
    ['/v2/locations/current', true],
    ['/v2/menus/active', false],
  ] as const) {
    const tag = (await read(path)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f-]{36}-\d+(-gzip)?"$/);
    expect([path, (await read(path, { 'if-none-match': tag })).status]).toEqual([path, covers ? 304 : 200]);
    refusalOf(await read(path, { 'if-match': '"stale"' }), 412, 'invalid_request');
    expect((await read(path, { 'if-match': tag })).status).toBe(200);
  }
});

test('the typed client reads the tag, in a batch as well, and a change expects it', async () => {
  const kitchen = await openKitchen(api);
  const client = api.client(kitchen.key);
  const [product, category] = await Promise.all([
    client.products.get.query({ id: kitchen.product.id }),
    client.categories.get.query({ id: kitchen.category.id }),
  ]);
  expect(tagOf(product)).toContain(product.id);
  expect(tagOf(category)).toContain(category.id);
  const change = (price: number, expected: string | undefined) =>
    client.products.update.mutate({ id: product.id, price, expected });
  const changed = await change(14, tagOf(product));
  expect(tagOf(changed)).not.toBe(tagOf(product));
  const refused = await change(15, tagOf(product)).then(() => undefined, comandaError);
  expect(refused).toMatchObject({ reason: 'changed_since', httpStatus: 412, etag: tagOf(changed) });
  expect((await client.products.get.query({ id: product.id })).price).toBe(14);
});
