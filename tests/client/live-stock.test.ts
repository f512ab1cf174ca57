import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ComandaClient, comandaError } from '@comanda/client';
import { liveList, liveOf } from '@comanda/client/live';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { holding, useLiveLists } from './live-kit.ts';

// A live list of stock equals the service's own. Its events carry whole entries: none is read for them.

const { api, page, place } = useLiveLists();

const product = (name: string, quantity: number) =>
  api.make.product({ name, stock: { enabled: true, quantity } });
const take = (id: string, quantity: number) =>
  api.client().stock.adjust.mutate({ id, adjust: -quantity, idempotencyKey: randomUUID() });
const ofService = async () => {
  const entries = [];
  for (let offset = 0; ; offset += 200) {
    const { data } = await api.client().stock.list.query({ limit: 200, offset });
    entries.push(...data);
    if (data.length < 200) return entries;
  }
};

function shown(comanda: ComandaClient) {
  const stock = liveList(comanda.stock.list);
  stock.subscribe(() => {});
  const data = () => stock.getSnapshot().data ?? [];
  const left = (id: string) => data().find(({ product_id }) => product_id === id)?.stock.quantity;
  const live = () => waitFor('the stock to be live', () => stock.getSnapshot().state === 'live');
  return { stock, data, left, live };
}

const same = ({ data }: ReturnType<typeof shown>) => {
  const isSame = async () => JSON.stringify(data()) === JSON.stringify(await ofService());
  return waitFor('the list of the service', isSame);
};

describe('a live list of stock', () => {
  it('has what is taken, sold, made and deleted, and asks for nothing but the list', async () => {
    const [tea, juice] = [await product('Tea', 5), await product('Juice', 7)];
    const { comanda, asked } = page();
    const view = shown(comanda);
    await view.live();
    await same(view);
    const before = asked.filter(({ url }) => url.includes('stock.list')).length;
    await take(tea, 2);
    await waitFor('what was taken', () => view.left(tea) === 3);
    await place({ items: [{ product_id: tea, quantity: 2 }] });
    await waitFor('what was sold', () => view.left(tea) === 1);
    const milk = await product('Milk', 9);
    await waitFor('the new product', () => view.left(milk) === 9);
    await api.client().products.delete.mutate({ id: juice });
    await waitFor('the deleted one to leave', () => view.left(juice) === undefined);
    await same(view);
    expect(view.stock.getSnapshot().total).toBe(view.data().length);
    expect(asked.filter(({ url }) => url.includes('stock.list'))).toHaveLength(before);
    expect(asked.filter(({ url }) => url.includes('products.'))).toEqual([]);
  });

  it('keeps the newer stock when an older reading is answered later, and does not bring back a deleted product', async () => {
    const [bread, cake] = [await product('Bread', 5), await product('Cake', 5)];
    const readings = holding('stock.list');
    const { comanda } = page({}, undefined, readings.pass);
    const view = shown(comanda);
    await view.live();
    readings.hold();
    view.stock.refetch();
    await sleep(200);
    await take(bread, 4);
    await api.client().products.delete.mutate({ id: cake });
    await waitFor('the change', () => view.left(bread) === 1 && view.left(cake) === undefined);
    readings.letGo();
    await sleep(200);
    expect([view.left(bread), view.left(cake)]).toEqual([1, undefined]);
    await same(view);
  });

  it('is whole over many pages while they change, and after a loss', { timeout: 120_000 }, async () => {
    const ids: string[] = [];
    for (let n = 0; n < 420; n += 10) {
      const ten = Array.from({ length: 10 }, (_, more) => product(`Dish ${n + more}`, n + more + 10));
      ids.push(...(await Promise.all(ten)));
    }
    let isCut = false;
    const { comanda } = page({ silentMs: 500 }, ({ url }) => {
      if (isCut) throw new TypeError(`cut: ${url}`);
      return undefined;
    });
    const view = shown(comanda);
    const changes = (async () => {
      for (const id of ids.slice(60, 120)) await take(id, 1);
    })();
    await view.live();
    await changes;
    await same(view);
    expect(view.data().length).toBeGreaterThanOrEqual(420);
    const before = view.left(ids[100] ?? '') ?? 0;
    isCut = true;
    await waitFor('the loss', () => view.stock.getSnapshot().state === 'offline');
    await take(ids[100] ?? '', 7);
    await api.client().products.delete.mutate({ id: ids[101] ?? '' });
    isCut = false;
    await waitFor('what it missed', () => view.left(ids[100] ?? '') === before - 7);
    await same(view);
  });

  it('shows the first entries where most bounds it, and counts all', async () => {
    const { comanda } = page();
    const stock = liveList(comanda.stock.list, {}, { most: 3 });
    stock.subscribe(() => {});
    await waitFor('the stock', () => stock.getSnapshot().data !== undefined);
    const all = await ofService();
    expect(stock.getSnapshot().data).toEqual(all.slice(0, 3));
    expect(stock.getSnapshot().total).toBe(all.length);
  });

  it('says which permission a key lacks for its events', async () => {
    const comanda = await api.clientThatMay('stock:read', 'events:read');
    const errors: unknown[] = [];
    const live = liveOf(comanda, { onError: (error) => errors.push(error) });
    shown(comanda);
    await waitFor('the refusal', () => errors.length > 0);
    expect(comandaError(errors[0])?.message).toContain('products:read');
    live.close();
  });

  it('takes no change', () => {
    const { comanda } = page();
    const stock = liveList(comanda.stock.list);
    expect(() => stock.mutate(comanda.orders.cancel, { id: '' })).toThrow('which has none');
  });
});
