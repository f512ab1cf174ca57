import { inspect } from 'node:util';
import { type ComandaClient, comandaError, createClient, noAnswer, wasReplayed } from '@comanda/client';
import { trpcClient } from '@comanda/client/trpc';
import { getUntypedClient } from '@trpc/client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import {
  answer,
  type Between,
  cut,
  hold,
  loseAnswer,
  standBetween,
  failureOf as thrownBy,
} from './between.ts';

const api = useApi();
const between: Between = useClosed(() => standBetween(api.url));
let productId: string;
let paymentMethodId: string;

beforeAll(async () => {
  const { locationId } = api;
  productId = await api.make.product({ locationId, name: 'Flat White', price: 12.5 });
  paymentMethodId = await api.make.paymentMethod({ locationId });
});
beforeEach(() => {
  between.came.length = 0;
  between.fates.length = 0;
});

const through = (options: Partial<Parameters<typeof createClient>[0]> = {}): ComandaClient =>
  createClient({ url: between.url, key: api.key.key, ...options });

const product = { name: 'Water', description: '', price: 3 };

/** A fate that never comes, and the way to let it come. */
function never(): { fate: ReturnType<typeof hold>; end(): void } {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { fate: hold(until), end };
}

describe('a call', () => {
  it('ends at its own signal in a batch, and the others of the batch go on', async () => {
    const { fate, end } = never();
    between.fates.push(fate);
    const comanda = through();
    const signal = AbortSignal.timeout(100);
    const other = comanda.products.get.query({ id: productId });
    const error = await thrownBy(comanda.products.get.query({ id: productId }, { signal }));
    expect(noAnswer(error)).toBe('timeout');
    end();
    expect((await other).name).toBe('Flat White');
    expect(between.came).toHaveLength(1);
  });

  it('ends when it is given up, alone as in a batch, and is not sent when it was given up before', async () => {
    const { fate, end } = never();
    between.fates.push(fate);
    const ending = new AbortController();
    const calls = ['a', 'b'].map((id) =>
      thrownBy(through().products.get.query({ id }, { signal: ending.signal })),
    );
    ending.abort();
    expect((await Promise.all(calls)).map(noAnswer)).toEqual(['aborted', 'aborted']);
    end();
    between.came.length = 0;
    const late = thrownBy(through().products.create.mutate(product, { signal: ending.signal }));
    expect(noAnswer(await late)).toBe('aborted');
    expect(between.came).toEqual([]);
  });

  it('has a time', async () => {
    const { fate, end } = never();
    between.fates.push(fate);
    const error = await thrownBy(through({ timeoutMs: 100 }).products.get.query({ id: productId }));
    expect(noAnswer(error)).toBe('timeout');
    expect(error.message).toBe('products.get: no answer within 100 ms');
    end();
  });

  it('has one time for all its repeats', async () => {
    between.fates.push(...Array(1_000).fill(cut));
    const comanda = through({ timeoutMs: 500, retries: 1_000 });
    const error = await thrownBy(comanda.products.get.query({ id: productId }));
    expect(noAnswer(error)).toMatch(/unreachable|timeout/);
    expect(between.came.length).toBeLessThan(10);
  });

  it('may take as long as it likes with a time without end', async () => {
    const comanda = through({ timeoutMs: Number.POSITIVE_INFINITY });
    expect((await comanda.products.get.query({ id: productId })).name).toBe('Flat White');
  });

  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ retries: -1 }, 'retries'],
    [{ retries: 1.5 }, 'retries'],
  ])('is refused the settings %j', (options, name) => {
    expect(() => through(options)).toThrow(RangeError);
    expect(() => through(options)).toThrow(name);
  });
});

describe('a repeat', () => {
  it('follows where no answer came for as long as the call has time, for any `retries`', async () => {
    between.fates.push(cut, cut, cut);
    const comanda = through({ retries: 1 });
    expect((await comanda.products.get.query({ id: productId })).name).toBe('Flat White');
    expect(between.came).toHaveLength(4);
    between.fates.push(cut);
    const error = await thrownBy(through({ retries: 0 }).products.get.query({ id: productId }));
    expect(noAnswer(error)).toBe('unreachable');
    expect(comandaError(error)).toBeUndefined();
    expect(between.came).toHaveLength(5);
  });

  it('of what is refused for now comes as often as `retries` says', async () => {
    const busy = answer(429, { 'content-type': 'text/html' }, 'slow down');
    between.fates.push(busy, busy, busy);
    const error = await thrownBy(through().products.get.query({ id: productId }));
    expect(noAnswer(error)).toBe('strange');
    expect(between.came).toHaveLength(3);
  });

  it('of the calls of a batch is a batch again', async () => {
    between.fates.push(cut);
    const comanda = through();
    await Promise.all([1, 2, 3].map(() => comanda.products.get.query({ id: productId })));
    expect(between.came.map(({ route }) => route)).toEqual(
      Array(2).fill('GET /trpc/products.get,products.get,products.get'),
    );
  });

  it("waits as long as a proxy's Retry-After says, and no shorter", async () => {
    const began = performance.now();
    between.fates.push(answer(503, { 'content-type': 'text/html', 'retry-after': '1' }, '<h1>away</h1>'));
    await through().products.get.query({ id: productId });
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(between.came).toHaveLength(2);
  });

  it('does not come when the wait is longer than the time that is left', async () => {
    const { key } = await api.make.key({ monthly: 1 });
    const comanda = through({ key });
    await comanda.products.get.query({ id: productId });
    const error = await thrownBy(comanda.products.get.query({ id: productId }));
    expect(comandaError(error)).toMatchObject({ code: 'rate_limited', httpStatus: 429 });
    const seconds = comandaError(error)?.retryAfterSeconds;
    expect(seconds).toBeGreaterThan(0);
    expect(error.message).toContain(`(to be repeated in ${seconds} s, beyond the 30000 ms of the call)`);
    expect(between.came).toHaveLength(2);
  });

  it('does not follow a refusal that it cannot help', async () => {
    const error = await thrownBy(through().products.get.query({ id: 'nothing' }));
    expect(comandaError(error)).toMatchObject({ reason: 'not_found', replayed: false });
    expect(between.came).toHaveLength(1);
  });

  it('does not follow the page of something else, which is named', async () => {
    const page = answer(404, { 'content-type': 'text/html' }, '<h1>Shop</h1>');
    between.fates.push(page);
    const error = await thrownBy(through().locations.getCurrent.query());
    expect(noAnswer(error)).toBe('strange');
    expect(error.message).toBe(
      `locations.getCurrent: ${between.url}/trpc/locations.getCurrent answered 404 with text/html, which is not Comanda's: is \`url\` its base URL?`,
    );
    expect(between.came).toHaveLength(1);
  });

  it('ends at the signal while it waits', async () => {
    between.fates.push(answer(503, { 'content-type': 'text/html', 'retry-after': '20' }, ''));
    const ending = new AbortController();
    const { signal } = ending;
    const call = thrownBy(through().products.get.query({ id: productId }, { signal }));
    await waitFor('the first try', () => between.came.length === 1);
    ending.abort();
    expect(noAnswer(await call)).toBe('aborted');
    expect(between.came).toHaveLength(1);
  });
});

describe('a mutation whose answer is lost', () => {
  const order = (external_id: string) => ({
    idempotencyKey: external_id,
    external_id,
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items: [{ product_id: productId, quantity: 1 }],
  });

  it('is done once, with a key of its own, and its answer is known for a replay', async () => {
    between.fates.push(loseAnswer);
    const made = await through().products.create.mutate({ ...product, name: 'Once' });
    const [first, second] = between.came.map(({ body }) => body);
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toEqual(first);
    const { data } = await api.client().products.list.query({ search: 'Once' });
    expect(data.map(({ id }) => id)).toEqual([made.id]);
    expect(wasReplayed(made)).toBe(true);
    expect(wasReplayed(await through().products.create.mutate(product))).toBe(false);
  });

  it('moves an order once: the repeat returns the order, and is no illegal move', async () => {
    const comanda = through();
    const { id } = await comanda.orders.create.mutate(order('moved'));
    between.fates.push(loseAnswer);
    const moved = await comanda.orders.updateStatus.mutate({ id, status: 'ready' });
    expect(moved).toMatchObject({ id, status: 'ready' });
  });

  it.each(['cancel', 'pay'])('does not fail for it: %s', async (what) => {
    const comanda = through();
    const { id, payment } = await comanda.orders.create.mutate(order(`lost ${what}`));
    between.fates.push(loseAnswer);
    if (what === 'cancel') expect((await comanda.orders.cancel.mutate({ id })).status).toBe('canceled');
    else expect((await comanda.payments.complete.mutate({ id: payment.id })).status).toBe('completed');
  });

  it('that takes no input is done once, too', async () => {
    between.fates.push(loseAnswer);
    const turn = await through().turns.open.mutate();
    expect((await api.client().turns.getCurrent.query()).id).toBe(turn.id);
  });

  it('and is given once says so, and made one key', async () => {
    between.fates.push(loseAnswer);
    const error = await thrownBy(
      through().keys.create.mutate({ name: 'lost', permissions: ['orders:read'] }),
    );
    expect(comandaError(error)).toMatchObject({ reason: 'shown_once', replayed: true });
    const { data } = await api.client().keys.list.query();
    expect(data.filter(({ name }) => name === 'lost')).toHaveLength(1);
  });

  it('keeps the key that it was given', async () => {
    between.fates.push(loseAnswer);
    const placed = await through().orders.create.mutate(order('mine'));
    expect(between.came.map(({ body }) => body.idempotencyKey)).toEqual(['mine', 'mine']);
    expect(placed.external_id).toBe('mine');
  });

  it('is not repeated and gets no key where nothing must be repeated', async () => {
    between.fates.push(loseAnswer);
    const error = await thrownBy(through({ retries: 0 }).products.create.mutate(product));
    expect(noAnswer(error)).toBe('unreachable');
    expect(between.came.map(({ body }) => body)).toEqual([product]);
  });

  it('is repeated for an integration that calls by path, as that of React does', async () => {
    between.fates.push(loseAnswer);
    const made = await getUntypedClient(trpcClient(through())).mutation('products.create', product);
    expect(wasReplayed(made as object)).toBe(true);
  });
});

it('refuses to subscribe as tRPC does, and names the loop that the client has in its place', async () => {
  const untyped = getUntypedClient(trpcClient(through()));
  const error = await new Promise<Error>((resolve) => {
    untyped.subscription('events.watch', {}, { onError: resolve });
  });
  expect(error.message).toBe(
    'events.watch is no subscription of this client: loop over comanda.events.watch()',
  );
  expect(between.came).toEqual([]);
});

describe('the stack of what a call throws', () => {
  const here = /\n\s+at [^\n]*calls\.test\.ts:\d+:\d+/;

  it.each([
    ['a refusal', () => through().products.get.query({ id: 'nothing' }), []],
    ['no connection', () => through({ retries: 0 }).products.get.query({ id: productId }), [cut]],
    ['a timeout', () => through({ timeoutMs: 50 }).products.get.query({ id: productId }), [never().fate]],
    ['a mutation', () => through().products.create.mutate({ ...product, name: '' }), []],
  ] as const)('names the line of the caller: %s', async (_, call, fates) => {
    between.fates.push(...fates);
    const error = await thrownBy(call());
    expect(error.stack?.split('\n')[0]).toBe(`TRPCClientError: ${error.message}`);
    expect(error.stack?.slice(error.stack.indexOf('\n'))).toMatch(new RegExp(`^${here.source}`));
  });

  it('is printed without the whole response', async () => {
    const error = await thrownBy(through().products.get.query({ id: 'nothing' }));
    expect(inspect(error)).not.toMatch(/Response|Headers|responseJSON/);
    expect(inspect(error)).toContain('not_found');
  });
});
