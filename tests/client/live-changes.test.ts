import { setTimeout as sleep } from 'node:timers/promises';
import { comandaError } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { type Asked, createStorage, holding, useLiveLists } from './live-kit.ts';

// A change shows at once, is made once, and never with the session of the next user.

const { api, place, move, page } = useLiveLists();
const open = { status: ['pending' as const, 'ready' as const] };
const moves = (asked: readonly Asked[]) => asked.filter(({ url }) => url.includes('orders.updateStatus'));
const keysOf = (asked: readonly Asked[]) =>
  new Set(moves(asked).map(({ body }) => JSON.parse(body).idempotencyKey));
const statusAt = async (id: string) => (await api.client().orders.get.query({ id })).status;
const scope = 'L1 ana';
/** The text of an outbox with one move. */
const kept = (id: string, at: number) =>
  JSON.stringify([{ key: 'k-1', path: 'orders.updateStatus', input: { id, status: 'ready' }, at }]);

describe('a move', () => {
  it('shows at once in each list, and stays when it is answered', async () => {
    const { id } = await place();
    const door = holding('orders.updateStatus');
    const { comanda, shown } = page({}, door.pass);
    const [pending, ready] = [shown({ status: 'pending' }), shown({ status: 'ready' })];
    await Promise.all([pending.live(), ready.live()]);
    door.hold();
    const moving = pending.orders.mutate(comanda.orders.updateStatus, { id, status: 'ready' });
    await Promise.resolve();
    expect([pending.statusOf(id), ready.statusOf(id)]).toEqual([undefined, 'ready']);
    expect(ready.orders.getSnapshot().pending).toEqual(new Set([id]));
    expect(await statusAt(id)).toBe('pending');
    // From now on it never leaves the list that it is in.
    const seen: unknown[] = [];
    ready.orders.subscribe(() => seen.push(ready.statusOf(id)));
    door.letGo();
    await moving;
    expect(await statusAt(id)).toBe('ready');
    await waitFor('the answer', () => ready.orders.getSnapshot().pending.size === 0);
    await api.published();
    await sleep(200);
    expect(new Set(seen)).toEqual(new Set(['ready']));
  });

  it('that is refused rejects with the refusal, and the list shows what is true', async () => {
    const { id } = await place();
    const { comanda, shown } = page();
    const { orders, statusOf, live } = shown(open);
    await live();
    const moving = orders.mutate(comanda.orders.updateStatus, { id, status: 'closed' });
    await Promise.resolve();
    expect(statusOf(id)).toBeUndefined();
    const error = await moving.catch((thrown) => thrown);
    expect(comandaError(error)?.reason).toBe('illegal_move');
    await waitFor('it to be back', () => statusOf(id) === 'pending');
  });

  it('that is asked for twice is sent once', async () => {
    const { id } = await place();
    const { comanda, shown, asked } = page();
    const { orders, live } = shown(open);
    await live();
    const press = () => orders.mutate(comanda.orders.updateStatus, { id, status: 'ready' });
    await Promise.all([press(), press(), sleep(50).then(press)]);
    await press();
    expect(moves(asked)).toHaveLength(1);
    expect(await statusAt(id)).toBe('ready');
  });

  it('that another session has made meanwhile is no error', async () => {
    const { id } = await place();
    const door = holding('orders.updateStatus');
    const { comanda, shown } = page({}, door.pass);
    const { orders, live, statusOf } = shown(open);
    await live();
    door.hold();
    const moving = orders.mutate(comanda.orders.updateStatus, { id, status: 'ready' });
    await move(id, 'ready');
    door.letGo();
    await moving;
    expect(statusOf(id)).toBe('ready');
  });

  it('follows the one before it of the same order', async () => {
    const { id } = await place();
    const { comanda, shown } = page();
    const { orders, live } = shown(open);
    await live();
    await Promise.all([
      orders.mutate(comanda.orders.updateStatus, { id, status: 'ready' }),
      orders.mutate(comanda.orders.updateStatus, { id, status: 'closed' }),
    ]);
    expect(await statusAt(id)).toBe('closed');
  });

  it('is refused by type where the list knows no such change', async () => {
    const { comanda, shown } = page();
    const { orders } = shown(open);
    expect(() => orders.mutate(comanda.products.delete, { id: 'x' })).toThrow(
      'products.delete is no change of this list, which has orders.updateStatus, orders.cancel',
    );
  });
});

describe('a move without a connection', () => {
  const cut = (name = 'trpc/') => {
    const wire = { isCut: false };
    const pass = ({ url }: Asked) => {
      if (wire.isCut && url.includes(name)) throw new TypeError('fetch failed');
      return undefined;
    };
    return { wire, pass };
  };

  it('is kept, and sent with the same key when there is one again', async () => {
    const { id } = await place();
    const { wire, pass } = cut();
    const storage = createStorage();
    const { comanda, shown, asked } = page({ scope, storage }, pass);
    const { orders, live, statusOf } = shown(open);
    await live();
    wire.isCut = true;
    const moving = orders.mutate(comanda.orders.updateStatus, { id, status: 'ready' });
    await waitFor('two attempts', () => moves(asked).length === 2);
    expect(statusOf(id)).toBe('ready');
    expect([...storage.texts.values()].join()).toContain(id);
    wire.isCut = false;
    await moving;
    expect(keysOf(asked).size).toBe(1);
    expect(storage.texts.size).toBe(0);
  });

  it('whose answer was lost is made once, and after a reload sent with the same key', async () => {
    const { id } = await place();
    const storage = createStorage();
    const lost = ({ url }: Asked) => {
      if (url.includes('orders.updateStatus')) throw new TypeError('the answer is lost');
      return undefined;
    };
    const first = page({ scope, storage }, undefined, lost);
    const before = first.shown(open);
    await before.live();
    void before.orders.mutate(first.comanda.orders.updateStatus, { id, status: 'ready' });
    await waitFor('the move', async () => (await statusAt(id)) === 'ready');
    first.live.close();
    const second = page({ scope, storage });
    const after = second.shown(open);
    await waitFor('it to be answered', () => storage.texts.size === 0);
    await after.live();
    expect(after.statusOf(id)).toBe('ready');
    expect(keysOf([...first.asked, ...second.asked]).size).toBe(1);
    expect(moves(second.asked)).toHaveLength(1);
    expect(after.orders.getSnapshot().unsent).toEqual([]);
  });

  it('that is older than ten minutes is shown and not sent, until it is dismissed', async () => {
    const { id } = await place();
    const storage = createStorage();
    storage.setItem(`comanda.outbox ${scope}`, kept(id, Date.now() - 600_001));
    const { shown, asked } = page({ scope, storage });
    const { orders, live, statusOf } = shown(open);
    await live();
    expect(orders.getSnapshot().unsent).toMatchObject([{ key: 'k-1', status: 'expired', input: { id } }]);
    expect(statusOf(id)).toBe('pending');
    orders.dismiss('k-1');
    await waitFor('it to be forgotten', () => orders.getSnapshot().unsent.length === 0);
    expect(moves(asked)).toEqual([]);
    expect(storage.texts.size).toBe(0);
  });

  it('is dropped at the sign-out, and not sent for the next user', async () => {
    const { id } = await place();
    const { wire, pass } = cut();
    const storage = createStorage();
    const first = page({ scope, storage }, pass);
    const { orders, live } = first.shown(open);
    await live();
    wire.isCut = true;
    const moving = orders.mutate(first.comanda.orders.updateStatus, { id, status: 'ready' });
    await waitFor('an attempt', () => moves(first.asked).length === 1);
    first.live.signOut();
    await expect(moving).rejects.toThrow('given up at the sign-out');
    expect(storage.texts.size).toBe(0);
    wire.isCut = false;
    const next = page({ scope, storage });
    await next.shown(open).live();
    await sleep(1_500);
    expect([await statusAt(id), moves(first.asked).length, moves(next.asked)]).toEqual(['pending', 1, []]);
  });

  it('is not sent by another person, or at another location', async () => {
    const storage = createStorage();
    const { id } = await place();
    storage.setItem(`comanda.outbox ${scope}`, kept(id, Date.now()));
    const { shown, asked } = page({ scope: 'L1 ben', storage });
    await shown(open).live();
    expect(moves(asked)).toEqual([]);
  });
});
