import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { comandaError, createClient, noAnswer } from '@comanda/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi();
let productId: string;
let paymentMethodId: string;

beforeAll(async () => {
  const { locationId } = api;
  productId = await api.make.product({ locationId, name: 'Flat White', price: 12.5 });
  paymentMethodId = await api.make.paymentMethod({ locationId });
});

/** The client with the real fetch, whose requests and answers are noted. */
function watchedClient({ url = api.url, key = api.key.key } = {}) {
  const requests: { method: string; url: string }[] = [];
  const answers: Response[] = [];
  const client = createClient({
    url,
    key,
    async fetch(input, init) {
      requests.push({ method: init?.method ?? 'GET', url: String(input) });
      const answer = await fetch(input, init);
      answers.push(answer);
      return answer;
    },
  });
  return { client, requests, answers };
}

const product = { name: 'Water', description: '', price: 3 };

function order(overrides: { idempotencyKey: string; external_id: string; quantity?: number }) {
  const { quantity = 1, ...rest } = overrides;
  return {
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items: [{ product_id: productId, quantity }],
    ...rest,
  };
}

/** Where nothing listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: unknown) => comandaError(error) ?? `threw ${String(error)}`,
  );

describe('requests', () => {
  it.each([
    [10, 1],
    [11, 2],
    [21, 3],
  ])('%i queries at once are sent in %i', async (calls, sent) => {
    const { client, requests } = watchedClient();
    const products = await Promise.all(
      Array.from({ length: calls }, () => client.products.get.query({ id: productId })),
    );
    expect(products.map(({ name }) => name)).toEqual(Array(calls).fill('Flat White'));
    expect(requests.map(({ method }) => method)).toEqual(Array(sent).fill('GET'));
  });

  it('carry one mutation each, however many are made at once', async () => {
    const { client, requests } = watchedClient();
    const made = await Promise.all(
      ['Tea', 'Juice', 'Cake'].map((name) => client.products.create.mutate({ ...product, name })),
    );
    expect(made.map(({ name }) => name)).toEqual(['Tea', 'Juice', 'Cake']);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(3).fill(`POST ${api.url}/trpc/products.create`),
    );
  });

  it('are split before their URL grows too long for the service', async () => {
    const { client, requests } = watchedClient();
    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        client.products.list.query({ search: `${index}`.repeat(3_000) }),
      ),
    );
    expect(pages.map(({ pagination }) => pagination.total)).toEqual(Array(10).fill(0));
    expect(requests.length).toBeGreaterThan(1);
    expect(Math.max(...requests.map(({ url }) => url.length))).toBeLessThan(8_000);
  });

  it.each([
    ['without', ''],
    ['with', '/'],
  ])('find the service by a base URL %s a slash at its end', async (_, end) => {
    const { client, requests } = watchedClient({ url: `${api.url}${end}` });
    expect((await client.locations.getCurrent.query()).id).toBe(api.locationId);
    expect(requests[0]?.url.startsWith(`${api.url}/trpc/locations.getCurrent?`)).toBe(true);
  });

  it('are refused a base URL that is not absolute', () => {
    expect(() => createClient({ url: 'api.example.com', key: 'any' })).toThrow(TypeError);
  });
});

describe('the calls of a batch', () => {
  it('succeed and fail one by one', async () => {
    const { client, requests } = watchedClient();
    const results = await Promise.all([
      client.products.get.query({ id: productId }).then(({ name }) => name),
      refusalOf(client.products.get.query({ id: 'nothing' })),
      refusalOf(client.products.list.query({ limit: 1_000 })),
      client.locations.getCurrent.query().then(({ id }) => id),
    ]);
    expect(results).toEqual([
      'Flat White',
      expect.objectContaining({ code: 'resource_not_found', httpStatus: 404 }),
      expect.objectContaining({ code: 'validation_error', httpStatus: 422 }),
      api.locationId,
    ]);
    expect(requests).toHaveLength(1);
  });

  it('are limited one by one: the limit admits its number of them and no more', async () => {
    const { locationId } = api;
    const { key } = await api.make.key({ locationId, monthly: 7 });
    const { client, requests } = watchedClient({ key });
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.locations.getCurrent.query().then(
          () => 'admitted',
          (error: unknown) => comandaError(error),
        ),
      ),
    );
    expect(requests).toHaveLength(1);
    expect(results.filter((result) => result === 'admitted')).toHaveLength(7);
    expect(results.filter((result) => result !== 'admitted')).toEqual(
      Array(3).fill(expect.objectContaining({ code: 'rate_limited', httpStatus: 429 })),
    );
  });

  it('are permitted one by one', async () => {
    const { locationId } = api;
    const { key } = await api.make.key({ locationId, permissions: ['products:read'] });
    const { client } = watchedClient({ key });
    const [found, refusal] = await Promise.all([
      client.products.get.query({ id: productId }),
      refusalOf(client.orders.list.query({})),
    ]);
    expect(found.id).toBe(productId);
    expect(refusal).toMatchObject({ code: 'permission_denied', httpStatus: 403 });
  });
});

describe('an error', () => {
  it('carries its code, the status that REST has for it, and the id of its request', async () => {
    const { client, answers } = watchedClient();
    const refusal = await refusalOf(
      client.orders.create.mutate(order({ idempotencyKey: 'bad', external_id: 'bad', quantity: 0 })),
    );
    const requestId = answers[0]?.headers.get('x-request-id');
    expect(requestId).toBeTruthy();
    expect(refusal).toEqual({
      code: 'validation_error',
      httpStatus: 422,
      requestId,
      reason: 'invalid_field',
      fields: [{ path: 'items[0].quantity', message: 'must be more than 0' }],
      message: 'items[0].quantity: must be more than 0',
      replayed: false,
    });
    expect(answers[0]?.status).toBe(422);
  });

  it('reports an unknown key', async () => {
    const { client } = watchedClient({ key: 'cmd_live_unknown' });
    expect(await refusalOf(client.orders.list.query({}))).toMatchObject({
      code: 'unauthorized',
      httpStatus: 401,
    });
  });

  it.each([
    ['unreachable', 'a connection that is refused', closedUrl],
    ['strange', "a page that is not tRPC's", async () => `${api.url}/docs`],
  ])('is not made up, but is %s, for %s', async (why, _, findUrl) => {
    const client = createClient({ url: await findUrl(), key: api.key.key, retries: 0 });
    const thrown: unknown = await client.locations.getCurrent.query().catch((error) => error);
    expect([noAnswer(thrown), comandaError(thrown)]).toEqual([why, undefined]);
  });

  it('is not made up for a call that was given up', async () => {
    const { client } = watchedClient();
    const signal = AbortSignal.abort();
    expect(await refusalOf(client.products.create.mutate(product, { signal }))).toMatch(/^threw TRPC/);
  });

  it('is read of an error that another copy of tRPC threw', () => {
    const data = { code: 'conflict', httpStatus: 409, requestId: 'r', reason: 'illegal_move', fields: [] };
    const error = Object.assign(new Error('no'), { name: 'TRPCClientError', data });
    expect(comandaError(error)).toEqual({ ...data, message: 'no', replayed: false });
  });

  it('is no error of the service when something else was thrown', () => {
    expect(comandaError(new Error('other'))).toBeUndefined();
    expect(comandaError({ data: { code: 'conflict', httpStatus: 409, requestId: '' } })).toBeUndefined();
    expect(comandaError(undefined)).toBeUndefined();
  });
});

describe('an order', () => {
  it('is made once however often it is sent with its key, alone or at once', async () => {
    const { client } = watchedClient();
    const body = order({ idempotencyKey: 'once', external_id: 'once' });
    const placed = await client.orders.create.mutate(body);
    const again = await Promise.all([1, 2, 3].map(() => client.orders.create.mutate(body)));
    expect(again).toEqual([placed, placed, placed]);
    const { pagination } = await client.orders.list.query({ external_id: 'once' });
    expect(pagination.total).toBe(1);
  });

  it('is a conflict when its key was used for another', async () => {
    const { client } = watchedClient();
    await client.orders.create.mutate(order({ idempotencyKey: 'taken', external_id: 'first' }));
    expect(
      await refusalOf(
        client.orders.create.mutate(order({ idempotencyKey: 'taken', external_id: 'first', quantity: 2 })),
      ),
    ).toMatchObject({ code: 'conflict', httpStatus: 409 });
  });
});
