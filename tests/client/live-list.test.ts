import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createManyOrders } from '../support/many-orders.ts';
import { waitFor } from '../support/wait.ts';
import { type Asked, holding, useLiveLists } from './live-kit.ts';

// A live list equals the list of the service, however calls and events overlap.

const { api, place, move, page } = useLiveLists();
const open = { status: ['pending' as const, 'ready' as const] };

describe('a live list', () => {
  it('has an order that is made, follows its moves, and lets it go', async () => {
    const { ids, statusOf, live, states } = page().shown(open);
    await live();
    expect(states).toEqual(['connecting', 'catching up', 'live'].slice(-states.length));
    const { id } = await place();
    await waitFor('the order', () => statusOf(id) === 'pending');
    await move(id, 'ready');
    await waitFor('its move', () => statusOf(id) === 'ready');
    await move(id, 'closed');
    await waitFor('it to leave', () => !ids().includes(id));
  });

  it('shows what was chosen where include names it, of orders that come as of those that were there', async () => {
    const include = ['details' as const, 'items' as const, 'snapshot' as const];
    const { orders, live } = page().shown({ ...open, include });
    const before = await place();
    await live();
    const { id } = await place();
    await waitFor('the order', () => orders.getSnapshot().data?.some((order) => order.id === id));
    const { data } = await api.client().orders.list.query({ ...open, include: [...include, 'revision'] });
    // Other tests leave open orders, too.
    const ours = <Order extends { id: string }>(all: readonly Order[] = []) =>
      all.filter((order) => order.id === id || order.id === before.id);
    expect(ours(orders.getSnapshot().data)).toEqual(ours(data));
    expect(ours(data).map((order) => order.id)).toEqual([id, before.id]);
  });

  it('shows an edit: of a comment alone, and of a note that is taken away', async () => {
    const { id } = await place();
    const include = ['details' as const, 'items' as const];
    const { orders, live } = page().shown({ ...open, include });
    await live();
    const ours = () => orders.getSnapshot().data?.find((order) => order.id === id);
    const orderEdit = api.client().orders.edit;
    await orderEdit.mutate({ id, note: 'Ring twice' });
    await waitFor('the note', () => ours()?.note === 'Ring twice');
    const items = { change: [{ line_id: 1, comment: 'Hot' }] };
    await orderEdit.mutate({ id, items, note: null, expected: '*' });
    await waitFor('the comment', () => ours()?.items?.[0]?.comment === 'Hot');
    expect(ours()).not.toHaveProperty('note');
    await orderEdit.mutate({ id, items: { change: [{ line_id: 1, comment: null }] }, expected: '*' });
    await waitFor('no comment', () => !('comment' in (ours()?.items?.[0] ?? {})));
  });

  it('without include shows the six fields, of orders that come too', async () => {
    const { orders, live } = page().shown({ status: 'pending' });
    await live();
    const { id } = await place();
    const entry = () => orders.getSnapshot().data?.find((order) => order.id === id);
    await waitFor('the order', () => entry() !== undefined);
    const six = ['id', 'number', 'status', 'total', 'created_at', 'payment', 'revision'];
    expect(Object.keys(entry() ?? {}).sort()).toEqual(six.sort());
  });

  it('keeps the newer state when an older reading of the list is answered later', async () => {
    const { id } = await place();
    const readings = holding('orders.list');
    const { shown, asked } = page({}, undefined, readings.pass);
    const { orders, statusOf, live } = shown(open);
    await live();
    readings.hold();
    orders.refetch();
    await waitFor('the reading', () => asked.filter(({ url }) => url.includes('orders.list')).length > 1);
    await sleep(200);
    await move(id, 'ready');
    await waitFor('the move', () => statusOf(id) === 'ready');
    readings.letGo();
    await sleep(200);
    expect(statusOf(id)).toBe('ready');
    await move(id, 'closed');
    await waitFor('it to leave', () => statusOf(id) === undefined);
  });

  it('does not bring back an order that left while an older reading was under way', async () => {
    const { id } = await place();
    const readings = holding('orders.list');
    const { shown } = page({}, undefined, readings.pass);
    const { orders, statusOf, live } = shown(open);
    await live();
    readings.hold();
    orders.refetch();
    await sleep(200);
    await move(id, 'canceled');
    await waitFor('it to leave', () => statusOf(id) === undefined);
    readings.letGo();
    await sleep(200);
    expect(statusOf(id)).toBeUndefined();
  });

  it('reads no order for an event that says nothing new, and once for many lists that want it', async () => {
    const { shown, asked } = page();
    const lists = [shown(open), shown({ status: 'pending' })];
    await Promise.all(lists.map(({ live }) => live()));
    const { id } = await place();
    await waitFor('the order', () => lists.every(({ statusOf }) => statusOf(id) === 'pending'));
    await api.published();
    await sleep(300);
    const reads = asked.filter(({ url }) => url.includes('orders.get') && url.includes(id));
    expect(reads.length).toBe(1);
  });

  it('counts the orders beyond its bound, and fills the place of one that leaves', async () => {
    const { orders, ids, live } = page().shown({ ...open, order: 'asc' }, { most: 3 });
    await Promise.all([1, 2, 3, 4].map(() => place()));
    await live();
    const total = async () => (await api.client().orders.list.query(open)).pagination.total;
    await waitFor('the total', async () => orders.getSnapshot().total === (await total()));
    const before = ids();
    expect(before).toHaveLength(3);
    await move(before[0] ?? '', 'canceled');
    await waitFor('the next one', () => ids().length === 3 && ids()[0] === before[1]);
    await waitFor('the total', async () => orders.getSnapshot().total === (await total()));
  });

  it('reads the list again where the service alone can judge a filter', async () => {
    const { orders, live } = page().shown({ from: '2020-01-01' });
    await live();
    const { id } = await place();
    await waitFor('the order', () => orders.getSnapshot().data?.[0]?.id === id);
  });

  it('is equal to the list of the service after many changes at once, of 2,000 orders', {
    timeout: 120_000,
  }, async () => {
    const { locationId, app } = api;
    await createManyOrders(app.database, { locationId, count: 2_000, from: '2026-03-01T12:00:00Z' });
    const { orders, live } = page().shown(open, { most: 5_000 });
    await live();
    const made = await Promise.all(Array.from({ length: 60 }, () => place()));
    await Promise.all(made.map(({ id }, n) => move(id, n % 2 ? 'ready' : 'canceled')));
    const { total } = (await api.client().orders.list.query({ ...open, limit: 1 })).pagination;
    expect(total).toBeGreaterThan(2_000);
    const counted = () => orders.getSnapshot().data?.filter(({ status }) => status === 'ready').length;
    const ready = (await api.client().orders.list.query({ status: 'ready', limit: 1 })).pagination.total;
    await waitFor('all changes', () => orders.getSnapshot().data?.length === total && counted() === ready);
    const ofService = [];
    for (let offset = 0; offset < total; offset += 200) {
      const { data } = await api
        .client()
        .orders.list.query({ ...open, include: ['revision'], limit: 200, offset });
      ofService.push(...data);
    }
    expect(orders.getSnapshot().data).toEqual(ofService);
  });
});

it('a stream that ends makes the list offline, and what it missed is there when it is live again', async () => {
  let isCut = false;
  const streams: AbortController[] = [];
  const { shown } = page({ silentMs: 500 }, ({ url }: Asked) => {
    if (!isCut) return;
    throw new TypeError(`cut: ${url}`);
  });
  const { states, statusOf, live } = shown(open);
  await live();
  isCut = true;
  await waitFor('the loss', () => states.at(-1) === 'offline');
  const { id } = await place();
  isCut = false;
  for (const stream of streams) stream.abort();
  await waitFor('the order', () => statusOf(id) === 'pending');
  await live();
  expect(states.slice(-2)).toEqual(['catching up', 'live']);
});
