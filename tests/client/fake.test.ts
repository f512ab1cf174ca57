import { comandaError, followEvents } from '@comanda/client';
import { fakeClient, type ProcedureOutput, refusal } from '@comanda/testing';
import { describe, expect, it } from 'vitest';

const event = { id: 'one', type: 'order.created' } as ProcedureOutput<'events.list'>['data'][number];

describe('a fake client', () => {
  it('answers what the test says, and keeps what was asked', async () => {
    const { client, calls } = fakeClient({
      'orders.get': ({ id }) => ({ id, number: 7 }) as ProcedureOutput<'orders.get'>,
      'limits.get': async () => {
        throw new Error('never asked');
      },
    });
    expect(await client.orders.get.query({ id: 'one' })).toEqual({ id: 'one', number: 7 });
    expect(calls).toEqual([{ path: 'orders.get', input: { id: 'one' } }]);
  });

  it('says what to add for a procedure without an answer, also below v1', async () => {
    const { client } = fakeClient({});
    await expect(client.v1.orders.list.query()).rejects.toThrow(
      "the fake client has no answer for v1.orders.list: add fakeClient({ 'v1.orders.list': (input) => … })",
    );
  });

  it('has no other ways to call', () => {
    const other = fakeClient({}).client as unknown as { orders: { get: { ask(): void } } };
    expect(() => other.orders.get.ask()).toThrow(
      'the fake client has no orders.get.ask(): it has query and mutate',
    );
  });

  it('is waited for like any value, and is no promise', async () => {
    const { client } = fakeClient({});
    expect(await client).toBe(client);
  });

  it('refuses as the service does', async () => {
    const { client } = fakeClient({
      'orders.cancel': () => {
        throw refusal({
          code: 'conflict',
          reason: 'illegal_move',
          httpStatus: 409,
          message: 'It is closed.',
        });
      },
    });
    const thrown = await client.orders.cancel.mutate({ id: 'one' }).catch((error: unknown) => error);
    expect(comandaError(thrown)).toEqual({
      ...{ code: 'conflict', reason: 'illegal_move', httpStatus: 409, message: 'It is closed.' },
      ...{ fields: [], requestId: 'fake', replayed: false },
    });
  });

  it('is followed as the feed is', async () => {
    const { client } = fakeClient({
      'events.list': ({ after } = {}) =>
        ({
          data: after === undefined ? [event] : [],
          pagination: { limit: 200, next: 'one' },
        }) as ProcedureOutput<'events.list'>,
    });
    const ending = new AbortController();
    const found = [];
    for await (const { id } of followEvents(client, { signal: ending.signal, everyMs: 1 })) {
      found.push(id);
      ending.abort();
    }
    expect(found).toEqual(['one']);
  });

  it('is followed to a signal that ends before the first event is given, which no cursor passes', async () => {
    const ending = new AbortController();
    const { client } = fakeClient({
      'events.list': () => {
        ending.abort();
        return { data: [event], pagination: { limit: 200, next: 'one' } } as ProcedureOutput<'events.list'>;
      },
    });
    const cursors: string[] = [];
    const onCursor = (cursor: string) => void cursors.push(cursor);
    const found = [];
    for await (const { id } of followEvents(client, { signal: ending.signal, onCursor })) found.push(id);
    expect([found, cursors]).toEqual([[], []]);
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
  });
});
