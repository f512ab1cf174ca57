import { comandaError, listAll, noAnswer, tagOf, wasReplayed } from '@comanda/client';
import { fakeClient, type ProcedureOutput, refusal, replayed, tagged, unanswered } from '@comanda/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { reasons, statusOf } from '../../packages/api/src/reasons.ts';
import { thrownBy } from '../support/thrown.ts';

type Order = ProcedureOutput<'orders.get'>;
type Product = ProcedureOutput<'products.get'>;

const order = { id: 'o-1', number: 7, items: [{ name: 'Tea' }] } as Order;
/** An answer that throws. */
const failing = (error: Error) => () => {
  throw error;
};

const tea = { idempotencyKey: 'tea', name: 'Tea', description: '', price: 1 };

describe('a fake client', () => {
  it('answers what the test says, and keeps what was asked', async () => {
    const { client, calls } = fakeClient({
      'orders.get': ({ id }) => ({ ...order, id }),
      'orders.cancel': async () => order,
    });
    expect(await client.orders.get.query({ id: 'one' })).toEqual({ ...order, id: 'one' });
    await client.orders.cancel.mutate({ id: 'one' });
    expect(calls).toEqual([
      { path: 'orders.get', input: { id: 'one' } },
      { path: 'orders.cancel', input: { id: 'one' } },
    ]);
  });

  it('gives an answer the input with its defaults', async () => {
    const all = Array.from({ length: 120 }, (_, index) => ({ id: `o-${index}` }) as Order);
    const { client } = fakeClient({
      'orders.list': ({ limit = 0, offset = 0 } = {}) => ({
        data: all.slice(offset, offset + limit),
        pagination: { limit, offset, total: all.length },
      }),
    });
    expect((await client.orders.list.query()).data).toHaveLength(50);
    const read = [];
    for await (const { id } of listAll(client.orders.list, { limit: 7 })) read.push(id);
    expect(read).toEqual(all.map(({ id }) => id));
  });

  it('answers copies, and keeps copies', async () => {
    const { client, calls } = fakeClient({
      'orders.get': () => order,
      'products.create': () => tea as never,
    });
    const first = await client.orders.get.query({ id: 'o-1' });
    first.items.length = 0;
    expect((await client.orders.get.query({ id: 'o-1' })).items).toEqual(order.items);
    const given = { ...tea };
    await client.products.create.mutate(given);
    given.name = 'Coffee';
    expect(calls.at(-1)?.input).toEqual(tea);
  });

  it('says what to add for a procedure without an answer, also below v1', async () => {
    await expect(fakeClient({}).client.v1.orders.list.query()).rejects.toThrow(
      "the fake client has no answer for v1.orders.list: add fakeClient({ 'v1.orders.list': (input) => … })",
    );
  });

  it('throws what an answer throws, and says that an answer is undefined', async () => {
    const fault = new TypeError('a fault of the test');
    const { client } = fakeClient({
      'orders.get': failing(fault),
      'limits.get': (() => undefined) as never,
    });
    expect(await thrownBy(client.orders.get.query({ id: 'o-1' }))).toBe(fault);
    await expect(client.limits.get.query()).rejects.toThrow('the answer of a fake client is undefined');
  });

  it('leaves nothing behind of a call: a thousand warn of no leak', async () => {
    const warnings: unknown[] = [];
    const note = (warning: unknown) => void warnings.push(warning);
    process.on('warning', note);
    const { client } = fakeClient({ 'orders.cancel': () => order });
    for (let call = 0; call < 1_000; call++) await client.orders.cancel.mutate({ id: 'o-1' });
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('works under fake timers that are advanced, and its time passes with them', async () => {
    const { client } = fakeClient({
      'orders.get': () => order,
      'orders.cancel': () => new Promise<never>(() => {}),
    });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const [read, canceled] = [
      client.orders.get.query({ id: 'o-1' }),
      thrownBy(client.orders.cancel.mutate({ id: 'o-1' })),
    ];
    await vi.advanceTimersByTimeAsync(1);
    expect((await read).number).toBe(7);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(noAnswer(await canceled)).toBe('timeout');
  });

  it('responds to the one call that needs no key, too', async () => {
    const { client } = fakeClient({ 'appCodes.redeem': () => ({ key: 'cmd_live_any' }) as never });
    expect(await client.appCodes.redeem.mutate({ code: '0123456789' } as never)).toEqual({
      key: 'cmd_live_any',
    });
  });

  it('is waited for like any value, and is no promise', async () => {
    const { client } = fakeClient({});
    expect(await client).toBe(client);
  });

  it('refuses what its key lacks the permission for', async () => {
    const { client } = fakeClient({ 'orders.list': () => ({}) as never }, { permissions: ['products:read'] });
    const refused = comandaError(await thrownBy(client.orders.list.query()));
    expect(refused).toMatchObject({ reason: 'permission_missing', httpStatus: 403 });
    expect(refused?.message).toBe('The key lacks the permission orders:read.');
  });

  it('is typed procedure by procedure', () => {
    fakeClient({
      // @ts-expect-error there is no such procedure
      'dishes.list': () => [],
    });
    fakeClient({
      // @ts-expect-error an order is more than its number
      'orders.get': () => ({ number: 7 }),
    });
    // @ts-expect-error there is no such reason
    refusal({ reason: 'too_hot', code: 'conflict' });
  });
});

describe('a refusal', () => {
  const refusing = (error: Error) =>
    fakeClient({
      'orders.cancel': failing(error),
    }).client.orders.cancel.mutate({ id: 'o-1' });

  it('of every reason has its code and status, thrown by a call or by itself', async () => {
    for (const reason of Object.keys(reasons) as (keyof typeof reasons)[]) {
      const error = refusal({ reason });
      const thrown = comandaError(await thrownBy(refusing(error)));
      expect(thrown).toMatchObject({ reason, code: reasons[reason].code, httpStatus: statusOf(reason) });
      expect(thrown).toEqual(comandaError(error));
    }
  });

  it('carries what it is given', async () => {
    const said = {
      ...({ reason: 'external_id_taken', message: 'It is there.', resourceId: 'o-2' } as const),
      fields: [{ path: 'external_id', message: 'is taken' }],
    };
    const thrown = comandaError(await thrownBy(refusing(refusal(said))));
    expect(thrown).toEqual({
      ...said,
      code: 'conflict',
      httpStatus: 409,
      requestId: 'fake',
      replayed: false,
    });
    const wait = comandaError(
      await thrownBy(refusing(refusal({ reason: 'minute_limit', retryAfterSeconds: 40 }))),
    );
    expect(wait).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 40 });
  });

  it('can be of a later version', async () => {
    const said = { reason: 'too_hot' as never, code: 'conflict', httpStatus: 409 } as const;
    expect(comandaError(await thrownBy(refusing(refusal(said))))).toMatchObject(said);
    expect(() => refusal({ reason: 'too_hot' as never })).toThrow('the reason too_hot is unknown here');
  });

  it('of one call leaves those that share its request whole', async () => {
    const { client } = fakeClient({
      'orders.get': failing(refusal({ reason: 'not_found' })),
      'products.get': () => ({ id: 'p-1' }) as Product,
    });
    const [refused, found] = await Promise.all([
      thrownBy(client.orders.get.query({ id: 'o-1' })),
      client.products.get.query({ id: 'p-1' }),
    ]);
    expect([comandaError(refused)?.reason, found.id]).toEqual(['not_found', 'p-1']);
  });
});

describe('no answer', () => {
  it.each(['timeout', 'aborted', 'unreachable', 'strange'] as const)(
    'of the kind %s is reported',
    async (kind) => {
      const { client } = fakeClient({
        'orders.get': failing(unanswered(kind)),
        'orders.cancel': failing(unanswered(kind)),
      });
      for (const [path, call] of [
        ['orders.get', () => client.orders.get.query({ id: 'o-1' })],
        ['orders.cancel', () => client.orders.cancel.mutate({ id: 'o-1' })],
      ] as const) {
        const error = await thrownBy(call());
        expect([noAnswer(error), comandaError(error)]).toEqual([kind, undefined]);
        expect(String(error)).toContain(kind === 'strange' ? 'text/html' : `${path}: `);
      }
    },
  );

  it('may hide that it was done: the repeat gets the answer', async () => {
    let made = 0;
    const { client } = fakeClient({
      'products.create': () => {
        made += 1;
        throw unanswered('timeout', { done: { id: `p-${made}` } });
      },
    });
    expect(noAnswer(await thrownBy(client.products.create.mutate(tea)))).toBe('timeout');
    const again = await client.products.create.mutate(tea);
    expect([again.id, wasReplayed(again), made]).toEqual(['p-1', true, 1]);
  });

  it('comes when an answer takes longer than the client waits', async () => {
    const { client } = fakeClient({ 'orders.get': () => new Promise<never>(() => {}) }, { timeoutMs: 20 });
    expect(noAnswer(await thrownBy(client.orders.get.query({ id: 'o-1' })))).toBe('timeout');
  });
});

describe('a repeat', () => {
  it('with the same key asks once, is reported as a repeat, and is refused with another input', async () => {
    let made = 0;
    const { client } = fakeClient({
      'products.create': ({ name }) => {
        made += 1;
        return { id: `p-${made}`, name } as Product;
      },
    });
    const [first, second] = await Promise.all([
      client.products.create.mutate(tea),
      client.products.create.mutate(tea),
    ]);
    expect([first, made]).toEqual([second, 1]);
    expect([wasReplayed(first), wasReplayed(second)]).toEqual([false, true]);
    const other = comandaError(await thrownBy(client.products.create.mutate({ ...tea, price: 2 })));
    expect(other?.reason).toBe('idempotency_key_reused');
  });

  it('of what was refused is done', async () => {
    let isSoldOut = true;
    const { client } = fakeClient({
      'products.create': () => {
        if (isSoldOut) throw refusal({ reason: 'out_of_stock' });
        return { id: 'p-1' } as Product;
      },
    });
    await thrownBy(client.products.create.mutate(tea));
    isSoldOut = false;
    expect(wasReplayed(await client.products.create.mutate(tea))).toBe(false);
  });

  it('can be played, and so can a tag', async () => {
    const { client } = fakeClient({
      'orders.cancel': () => replayed(order),
      'orders.get': () => tagged(order, '"o-1-3"'),
      'products.get': () => tagged({ id: 'p-1' } as Product, '"p-1-2"'),
    });
    const canceled = await client.orders.cancel.mutate({ id: 'o-1' });
    const [read, product] = await Promise.all([
      client.orders.get.query({ id: 'o-1' }),
      client.products.get.query({ id: 'p-1' }),
    ]);
    expect([wasReplayed(canceled), wasReplayed(read)]).toEqual([true, false]);
    expect([tagOf(read), tagOf(product)]).toEqual(['"o-1-3"', '"p-1-2"']);
    expect(read).toEqual(order);
  });
});
