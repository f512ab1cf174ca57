import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comandaError, noAnswer, tagOf, wasReplayed } from '@comanda/client';
import type { FrontAccess } from '@comanda/client/front';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBrowser } from '../../packages/client/src/front/headers.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { usePublishingApi } from '../support/published.ts';
import { thrownBy } from '../support/thrown.ts';
import { entrances, type Front } from './fronts.ts';

const api = usePublishingApi();
const access: FrontAccess = {
  procedures: [
    'orders.list',
    'products.get',
    'products.list',
    'products.update',
    'keys.list',
    'orders.quote',
  ],
  events: ['product.updated'],
};
const allow = (cookie: string | undefined) => (cookie === 'session=ana' ? access : undefined);
const key = () => api.key.key;
const url = () => api.url;

const refusalOf = (call: Promise<unknown>) => thrownBy(call).then(comandaError);

describe.each(Object.entries(entrances))('behind the entrance %s', (_, start) => {
  const faults: Error[] = [];
  const fronts: Front[] = [];
  let front: Front;
  let productId: string;

  const begin = async (options: Partial<Parameters<typeof start>[0]> = {}) => {
    const begun = await start({ url, key, allow, onFault: (error) => faults.push(error), ...options });
    fronts.push(begun);
    return begun;
  };
  beforeAll(async () => {
    productId = await api.make.product({ name: 'Tea', price: 2 });
    front = await begin();
  });
  afterAll(() => Promise.all(fronts.map((each) => each.close())));

  it('calls are answered, alone and in a batch, with what the client reads of headers', async () => {
    const ana = front.client('session=ana');
    const [orders, product] = await Promise.all([
      ana.orders.list.query(),
      ana.products.get.query({ id: productId }),
    ]);
    expect([orders.data, product.name]).toEqual([[], 'Tea']);
    const input = { id: productId, price: 3, idempotencyKey: `raise-${productId}`, expected: tagOf(product) };
    const changed = await ana.products.update.mutate(input);
    expect([changed.price, wasReplayed(changed)]).toEqual([3, false]);
    expect(tagOf(changed)).not.toBe(tagOf(product));
    expect(wasReplayed(await ana.products.update.mutate(input))).toBe(true);
  });

  it('a call that is not allowed does not fail its batch, and the others keep their order and tags', async () => {
    const ana = front.client('session=ana');
    const [product, turns, list, again, missing] = await Promise.all([
      ana.products.get.query({ id: productId }),
      refusalOf(ana.turns.list.query()),
      ana.products.list.query({ search: 'Tea' }),
      ana.products.get.query({ id: productId }),
      refusalOf(ana.products.get.query({ id: 'nothing' })),
    ]);
    expect(list.data.map(({ name }) => name)).toContain('Tea');
    expect(turns).toMatchObject({ code: 'permission_denied', reason: 'front_not_allowed', httpStatus: 403 });
    expect(missing).toMatchObject({ reason: 'not_found' });
    expect(tagOf(product)).toBeDefined();
    expect(tagOf(again)).toBe(tagOf(product));
  });

  it('for any query, events are listed of the types that the session may follow', async () => {
    const ana = front.client('session=ana');
    await api.client().products.create.mutate({ name: 'New', description: '', price: 1 });
    await api.client().products.update.mutate({ id: productId, description: `${Math.random()}` });
    await api.published();
    const typesIn = async (input: Parameters<typeof ana.events.list.query>[0]) =>
      new Set((await ana.events.list.query(input)).data.map(({ type }) => type));
    const own = new Set(['product.updated']);
    expect(await typesIn({})).toEqual(own);
    expect(await typesIn({ types: ['product.created', 'product.updated'] })).toEqual(own);
    expect(await refusalOf(ana.events.list.query({ types: ['product.created'] }))).toMatchObject({
      reason: 'front_not_allowed',
    });
    const posted = await front.ask(`${front.url}/trpc/events.list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: 'session=ana' },
      body: '{"types":["product.created"],"types":["product.created","product.updated"]}',
    });
    expect(await posted.text()).not.toContain('"product.created"');
  });

  it('a caller that is not signed in gets a refusal in the shape that the client reads', async () => {
    const [orders, products] = await Promise.all([
      refusalOf(front.client().orders.list.query()),
      refusalOf(front.client().products.list.query()),
    ]);
    const signedOut = { code: 'unauthorized', reason: 'front_signed_out', httpStatus: 401, fields: [] };
    expect([orders, products]).toMatchObject([signedOut, signedOut]);
    expect(orders?.requestId).toMatch(/.{36}/);
    expect(await refusalOf(front.client().products.update.mutate({ id: productId }))).toMatchObject(
      signedOut,
    );
  });

  it.each([
    ['an operation that is not listed', '/trpc/keys.create', 'POST'],
    ['one among a batch of such', '/trpc/keys.create,turns.list?batch=1&input={}', 'GET'],
    ['one in other letters', '/trpc/keys%2Ecreate', 'POST'],
    ['one behind an encoded comma', '/trpc/orders.list%2Cturns.list', 'GET'],
    ['one behind a comma that is encoded twice', '/trpc/orders.list%252Cturns.list?batch=1&input={}', 'GET'],
    ['a path out of it', '/trpc/..%2Fv2%2Fkeys', 'GET'],
    ['a path out of it, encoded twice', '/trpc/..%252Fv2%252Fkeys', 'GET'],
    ['nothing', '/trpc/', 'GET'],
    ['an encoding that no client uses', '/trpc/%zz', 'GET'],
    ['a name of every object', '/trpc/constructor', 'GET'],
    ['the stream by way of the calls', '/trpc/events.watch', 'GET'],
  ])('refuses %s', async (_what, asked, method) => {
    const answer = await front.ask(front.url + asked, {
      method,
      headers: { cookie: 'session=ana', ...(method === 'POST' && { 'content-type': 'application/json' }) },
      ...(method === 'POST' && { body: '{}' }),
    });
    expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([403, 'front_not_allowed']);
  });

  it('of a batch behind an encoded comma only what is allowed is answered', async () => {
    const asked = `${front.url}/trpc/orders.list%2Cturns.list?batch=1&input={}`;
    const answer = await front.ask(asked, { headers: { cookie: 'session=ana' } });
    const [orders, turns] = (await answer.json()) as { result?: object; error?: { data: object } }[];
    expect(answer.status).toBe(207);
    expect(orders?.result).toBeDefined();
    expect(turns?.error?.data).toMatchObject({ reason: 'front_not_allowed' });
  });

  it.each([
    [
      'a change as text, which a page of another origin can send unasked',
      'POST',
      '/trpc/products.update',
      415,
    ],
    ['another method', 'DELETE', '/trpc/products.update', 405],
    ['a stream that is posted', 'POST', '/v2/events/stream', 405],
    ['another path of the service', 'GET', '/v2/orders', 404],
    ['a path that leads out', 'GET', '/trpc/../v2/keys', 404],
    ['an input of a batch that is none', 'GET', '/trpc/orders.list,turns.list?batch=1&input=[]', 400],
    ['an input of events that is no JSON', 'GET', '/trpc/events.list?input=nonsense', 400],
  ])('refuses %s', async (_what, method, asked, status) => {
    const headers = { cookie: 'session=ana', 'content-type': 'text/plain' };
    const body = method === 'GET' ? null : '{}';
    const answer = await front.ask(front.url + asked, { method, headers, body });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-error-reason')).not.toBeNull();
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it('a setting that is missing, or a key that is refused, is a fault of the server and no reason to sign in', async () => {
    for (const [settings, says] of [
      [{ key: undefined }, 'key is not set'],
      [{ url: () => undefined }, 'url is not set'],
      [{ url: 'comanda' }, 'url is no absolute URL'],
      [{ key: 'cmd_live_wrong' }, 'Comanda refuses the key'],
    ] as const) {
      faults.length = 0;
      const ana = (await begin(settings)).client('session=ana');
      expect(await refusalOf(ana.orders.list.query())).toMatchObject({
        code: 'internal_error',
        reason: 'front_not_set_up',
        httpStatus: 500,
      });
      expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
    }
  });

  it('an access that cannot be found out is a fault of the server', async () => {
    faults.length = 0;
    const broken = await begin({
      allow: () => {
        throw new Error('the sessions are away');
      },
    });
    expect(await refusalOf(broken.client().orders.list.query())).toMatchObject({ reason: 'internal' });
    expect(faults.map(({ message }) => message)).toEqual(['the sessions are away']);
  });

  it('a service that is away is one to ask again', async () => {
    const alone = await begin({ url: 'http://127.0.0.1:9' });
    const refused = await refusalOf(alone.client('session=ana').orders.list.query());
    expect(refused).toMatchObject({
      reason: 'temporarily_unavailable',
      httpStatus: 503,
      retryAfterSeconds: 1,
    });
  });

  it('a page of something before the service stays strange', async () => {
    const page = new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } });
    const strange = await begin({ fetch: async () => page.clone() });
    const ana = strange.client('session=ana');
    const thrown = await Promise.all(
      [ana.orders.list.query(), ana.turns.list.query()].map((call) => call.catch((error: unknown) => error)),
    );
    expect(thrown.map(noAnswer)).toEqual(['strange', 'strange']);
  });

  it('neither key nor cookie gets to the other side', async () => {
    const asked: Headers[] = [];
    const seen = await begin({
      fetch: (input, init) => {
        asked.push(new Headers(init?.headers));
        return fetch(input, init);
      },
    });
    for (const [path, init] of [
      ['/trpc/orders.list?input={"limit":0}', {}],
      ['/trpc/orders.list?input=nonsense', {}],
      ['/trpc/products.update', { method: 'POST', body: '{}' }],
      ['/elsewhere', {}],
    ] as const) {
      const headers = {
        cookie: 'session=ana',
        authorization: 'Bearer mine',
        'content-type': 'application/json',
      };
      const answer = await seen.ask(seen.url + path, { ...init, headers });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(api.key.key);
    }
    expect(asked.map((headers) => headers.get('cookie'))).toEqual([null, null, null]);
    expect(new Set(asked.map((headers) => headers.get('authorization')))).toEqual(
      new Set([`Bearer ${api.key.key}`]),
    );
  });

  it('a body of more than the service takes is refused', async () => {
    const answer = await front.ask(`${front.url}/trpc/products.update`, {
      method: 'POST',
      headers: { cookie: 'session=ana', 'content-type': 'application/json' },
      body: JSON.stringify({ id: productId, description: 'x'.repeat(8 * 1024 * 1024) }),
    });
    expect(answer.status).toBe(413);
  });

  it('the key is read at each request, so that it can be replaced', async () => {
    const made = [api.key, await api.make.key()];
    const used: (string | null)[] = [];
    let at = 0;
    const rotated = await begin({
      key: async () => made[at]?.key,
      fetch: (input, init) => {
        used.push(new Headers(init?.headers).get('authorization'));
        return fetch(input, init);
      },
    });
    await rotated.client('session=ana').orders.list.query();
    at = 1;
    await rotated.client('session=ana').orders.list.query();
    expect(used).toEqual(made.map((each) => `Bearer ${each.key}`));
  });
});

it('an access names procedures and types of events that there are', () => {
  const wrong: FrontAccess[] = [
    // @ts-expect-error: no procedure.
    { procedures: ['orders.lost'] },
    // @ts-expect-error: by its types of events.
    { procedures: ['events.list'] },
    // @ts-expect-error: no type of an event.
    { procedures: [], events: ['order.lost'] },
  ];
  expect(wrong).toHaveLength(3);
});

it('what the client reads of headers is passed on', () => {
  const sources = join(repositoryRoot, 'packages/client/src');
  const read = readdirSync(sources)
    .map((name) => (name.endsWith('.ts') ? readFileSync(join(sources, name), 'utf8') : ''))
    .flatMap((text) => [...text.matchAll(/headers\.get\('([\w-]+)'\)/g)].map(([, name]) => name));
  expect(read.length).toBeGreaterThan(8);
  expect(read.filter((name) => !toBrowser.some((passed) => passed === name))).toEqual([]);
});
