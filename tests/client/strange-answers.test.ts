import { type ComandaClient, comandaError, createClient, noAnswer, type WatchState } from '@comanda/client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { answer, type Between, standBetween, failureOf as thrownBy } from './between.ts';

const api = useApi();
const between: Between = useClosed(() => standBetween(api.url));
let productId: string;

beforeAll(async () => {
  const { locationId } = api;
  productId = await api.make.product({ locationId, name: 'Flat White', price: 12.5 });
});
beforeEach(() => {
  between.came.length = 0;
});

const through = (options: Partial<Parameters<typeof createClient>[0]> = {}): ComandaClient =>
  createClient({ url: between.url, key: api.key.key, ...options });

const json = { 'content-type': 'application/json' };
const product = { name: 'Water', description: '', price: 3 };

describe('a repeat', () => {
  it.each([
    ["Spring's", JSON.stringify({ error: 'Service Unavailable', status: 503 })],
    ["Google's", JSON.stringify({ error: { code: 503, message: 'upstream connect error' } })],
    ['no error', '{"result":"away"}'],
    ['nothing', ''],
  ])("follows a gateway's 503 in JSON, which is named: %s", async (_, text) => {
    const away = answer(503, json, text);
    between.fates.push(away, away);
    const once = through({ retries: 0 });
    const error = await thrownBy(once.products.get.query({ id: productId }));
    expect([noAnswer(error), comandaError(error)]).toEqual(['strange', undefined]);
    expect(error.message).toContain(
      `products.get: ${between.url}/trpc/products.get answered 503 with application/json, which`,
    );
    expect(noAnswer(await thrownBy(once.products.create.mutate(product)))).toBe('strange');
    between.fates.push(away, away, away);
    await through({ retries: 1 }).products.get.query({ id: productId });
    expect(between.came).toHaveLength(6);
  });

  it.each([
    ['{"result":"done"}', 200],
    ['{"error":{"code":404,"message":"no route"}}', 404],
    ['[{"error":"no route"}]', 404],
    ['away', 200],
  ])('does not follow the JSON of another server: %s', async (text, status) => {
    between.fates.push(answer(status, json, text));
    expect(noAnswer(await thrownBy(through().locations.getCurrent.query()))).toBe('strange');
    expect(between.came).toHaveLength(1);
  });

  it.each([
    ['an answer', 200, '[{"result":{"da'],
    ['a refusal', 422, '[{"error":{"mess'],
  ])('follows %s in JSON that ends before its end', async (_, status, text) => {
    between.fates.push(answer(status, json, text));
    expect((await through().products.get.query({ id: productId })).name).toBe('Flat White');
    between.fates.push(answer(status, json, text));
    const error = await thrownBy(through({ retries: 0 }).products.get.query({ id: productId }));
    expect(noAnswer(error)).toBe('unreachable');
    expect(between.came).toHaveLength(3);
  });

  it('names the requested address for a fetch that returns none', async () => {
    const away: typeof fetch = async () => new Response('{}', { status: 500, headers: json });
    const error = await thrownBy(through({ fetch: away }).locations.getCurrent.query());
    expect(error.message).toContain(`${between.url}/trpc/locations.getCurrent answered 500`);
  });

  it('does not follow what the service refuses before it is a call', async () => {
    const error = await thrownBy(
      through({ url: api.url, key: 'k'.repeat(20_000) }).locations.getCurrent.query(),
    );
    expect(comandaError(error)).toMatchObject({ reason: 'headers_too_large', httpStatus: 431, fields: [] });
    expect(between.came).toEqual([]);
  });
});

it('a watch goes on after a refusal that ends before its end, as after any lost connection', async () => {
  between.fates.push(answer(422, { ...json, 'x-error-reason': 'unknown_cursor' }, '{"error":{"code":"va'));
  const ending = new AbortController();
  const states: WatchState[] = [];
  const onState = (state: WatchState) => {
    if (states.push(state) === 2) ending.abort();
  };
  for await (const _ of through().events.watch({}, { signal: ending.signal, onState }));
  expect(states[1]).toMatchObject({ status: 'waiting', reason: 'unreachable' });
});
