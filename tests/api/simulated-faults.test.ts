import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { comandaError, createClient, type Grant } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { type Answer, type Call, useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { openPlace } from '../support/place.ts';
import { thrownBy } from '../support/thrown.ts';
import { use } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();
const site = use(() => openPlace(api, { location: { sandbox: true }, key: { perMinute: 1_000 } }));
const kitchen = useOrderKitchen(site);

const simulating = (simulate: string, route = 'GET /v2/orders', call: Call = {}): Promise<Answer> =>
  site.rest(route, { ...call, headers: { ...call.headers, 'x-comanda-simulate': simulate } });

const order = (idempotencyKey: string = randomUUID(), body: object = kitchen.body()) => ({
  body,
  headers: { 'idempotency-key': idempotencyKey },
});

const typed = (simulate: string) =>
  createClient({
    url: api.url,
    key: site.token,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init?.headers, 'x-comanda-simulate': simulate } }),
  });

const headersOf = ({ headers }: Answer) => Object.fromEntries(headers);
const messageOf = ({ body }: Answer) => (body.error as { message: string } | undefined)?.message;

describe('rate_limited', () => {
  it('is the refusal of a used up minute, to the byte except for its times', async () => {
    const { key: poor } = await site.make.key({ perMinute: 1 });
    await api.rest('GET /v2/orders', { key: poor });
    const real = await api.rest('GET /v2/orders', { key: poor });
    const { key: rich } = await site.make.key({ perMinute: 1_000 });
    const played = await simulating('rate_limited', 'GET /v2/orders', { key: rich });
    expect(played.status).toBe(429);
    expect(messageOf(played)).toBe(messageOf(real)?.replace('limit of 1 ', 'limit of 1000 '));
    const names = (answer: Answer) =>
      [...answer.headers.keys()].filter((name) => name !== 'x-comanda-simulated');
    expect(names(played)).toEqual(names(real));
    const stated = { 'x-error-reason': 'minute_limit', 'x-ratelimit-remaining': '0' };
    expect(headersOf(played)).toMatchObject({ ...stated, 'x-comanda-simulated': 'rate_limited' });
    const wait = Number(played.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
    expect(real.headers.has('x-comanda-simulated')).toBe(false);
  });

  it('says how long to wait, where that is asked for', async () => {
    expect((await simulating('rate_limited; seconds=2')).headers.get('retry-after')).toBe('2');
  });
});

it('unavailable is a 503 with Retry-After, and does nothing', async () => {
  const idempotencyKey = randomUUID();
  const answer = await simulating('unavailable', 'POST /v2/orders', order(idempotencyKey));
  expect(answer.status).toBe(503);
  const stated = { 'retry-after': '5', 'x-error-reason': 'temporarily_unavailable' };
  expect(headersOf(answer)).toMatchObject({ ...stated, 'x-comanda-simulated': 'unavailable' });
  const after = await site.rest('POST /v2/orders', order(idempotencyKey));
  expect(after.headers.has('idempotency-replayed')).toBe(false);
});

describe('slow', () => {
  it('answers later, and holds no slot and no connection meanwhile', async () => {
    const began = performance.now();
    const { calls, slowCalls } = api.app.capacity;
    const answer = simulating('slow; seconds=2');
    // One look sees all three: the service's own upkeep takes a connection now and then.
    await waitFor('the call to wait and to hold nothing', () => {
      const { totalCount, idleCount } = api.pool;
      return free(slowCalls) === 9 && free(calls) === 256 && totalCount === idleCount;
    });
    expect((await answer).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(1_990);
    expect((await answer).headers.get('x-comanda-simulated')).toBe('slow');
    expect(free(slowCalls)).toBe(10);
  });

  /** How many more calls of the location may enter. */
  function free(count: { enter(locationId: string): () => void }): number {
    const leave: (() => void)[] = [];
    try {
      for (;;) leave.push(count.enter(site.locationId));
    } catch {
      return leave.length;
    } finally {
      for (const left of leave) left();
    }
  }

  it('keeps more than ten at once of a location from waiting', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => simulating('slow; seconds=1')));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.headers.get('x-error-reason')).toBe('location_busy');
  });
});

describe('timeout_after_write', () => {
  it('does the write, cuts the connection, and returns the stored answer for the same key', async () => {
    const idempotencyKey = randomUUID();
    const call = order(idempotencyKey, kitchen.body({ external_id: `cut-${randomUUID()}` }));
    await expect(simulating('timeout_after_write', 'POST /v2/orders', call)).rejects.toThrow();
    const again = await site.rest('POST /v2/orders', call);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it('leaves not a byte of an answer', async () => {
    const text = JSON.stringify(kitchen.body());
    const outcome = await new Promise<string>((resolve) => {
      const call = request(`${api.url}/v2/orders`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${site.token}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          'x-comanda-simulate': 'timeout_after_write',
        },
      });
      call.on('response', ({ statusCode }) => resolve(`answered ${statusCode}`));
      call.on('error', ({ message }) => resolve(message));
      call.end(text);
    });
    expect(outcome).toBe('socket hang up');
  });

  it('is a refusal, since nothing was written', async () => {
    const answer = await simulating('timeout_after_write', 'POST /v2/orders', order(randomUUID(), {}));
    expect(answer.status).toBe(422);
  });

  it('does the same over tRPC', async () => {
    const name = `cut ${randomUUID()}`;
    const call = { name, permissions: ['orders:read'] satisfies Grant[] };
    await expect(typed('timeout_after_write').keys.create.mutate(call)).rejects.toThrow();
    await waitFor('the key', async () => {
      const { data } = await site.client().keys.list.query({ limit: 200 });
      return data.some((one) => one.name === name);
    });
  });
});

it('stock_gone refuses the order as out of stock, in the words of the real refusal', async () => {
  const product_id = await site.make.product({ price: 1, stock: { quantity: 0 } });
  const refused = await kitchen.post({ items: [{ product_id, quantity: 1 }] });
  for (const path of ['/v1/orders', '/v2/orders']) {
    const played = await simulating('stock_gone', `POST ${path}`, order());
    expect(played.status).toBe(422);
    expect(messageOf(played)).toBe(messageOf(refused));
    const stated = { 'x-error-reason': 'out_of_stock', 'x-comanda-simulated': 'stock_gone' };
    expect(headersOf(played)).toMatchObject(stated);
  }
});

it('item_fails fails the first item of a stock sync as an unknown product, and does the others', async () => {
  const skus = ['first', 'second'].map((name) => `${name}-${randomUUID()}`);
  for (const sku of skus) await site.make.product({ sku });
  const body = { items: skus.map((sku) => ({ sku, quantity: 3 })) };
  const played = await simulating('item_fails', 'POST /v2/stock/sync', order(randomUUID(), body));
  const errors = [{ index: 0, message: `There is no product with sku ${skus[0]}.` }];
  expect(played.body.data).toMatchObject({ success_items: 1, failed_items: 1, errors });
});

describe('the header is refused', () => {
  const all = 'rate_limited, unavailable, slow, timeout_after_write, stock_gone, item_fails, stream_cut';
  it.each([
    ['stok_gone', 'is unknown: did you mean stock_gone?'],
    ['fire', `must be one of ${all}`],
    ['slow; seconds=11', 'slow takes "; seconds=N" of at most 10'],
    ['slow; minutes=1', 'slow takes "; seconds=N" of at most 10'],
    ['timeout_after_write; seconds=1', 'timeout_after_write takes no parameter'],
    ['timeout_after_write', 'timeout_after_write cannot happen to this operation'],
    ['stock_gone', 'stock_gone cannot happen to this operation'],
    ['item_fails', 'item_fails cannot happen to this operation'],
    ['slow, slow', 'must be one of'],
  ])('for %s, saying what is meant', async (simulate, message) => {
    const answer = await simulating(simulate);
    expect(answer.status).toBe(422);
    expect(messageOf(answer)).toContain(`X-Comanda-Simulate: ${message}`);
    expect(answer.headers.has('x-comanda-simulated')).toBe(false);
  });

  it('of a live key, and nothing is done', async () => {
    const answer = await simulating('unavailable', 'POST /v2/categories', {
      key: api.key.key,
      body: { name: 'Never', priority: 1, visible: true },
    });
    expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([422, 'simulation_refused']);
    expect((await api.rest('GET /v2/categories')).body).toMatchObject({ data: [] });
  });

  it('over tRPC as over REST', async () => {
    for (const [simulate, refusal] of [
      ['rate_limited; seconds=4', { code: 'rate_limited', reason: 'minute_limit' }],
      ['unavailable; seconds=1', { reason: 'temporarily_unavailable', retryAfterSeconds: 1 }],
      ['unavailabel', { code: 'validation_error' }],
    ] as const)
      expect(comandaError(await thrownBy(typed(simulate).orders.list.query({})))).toMatchObject(refusal);
  });
});

it('what is simulated raises no alarm: it is in no metric', async () => {
  await simulating('unavailable', 'GET /v2/turns');
  await simulating('slow; seconds=0', 'GET /v2/turns');
  const text = await (await fetch(`${api.url}/metrics`)).text();
  expect(text).not.toContain('operation="turns.list"');
});
