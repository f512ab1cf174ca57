import { tagOf } from '@comanda/client';
import { beforeAll, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, type OrderKitchen } from '../support/orders.ts';

// Of two readings of an order the one with the greater counter is the newer, in any order of arrival.

const api = useApi();
let kitchen: OrderKitchen;
beforeAll(async () => {
  kitchen = await createOrderKitchen(api);
});

const place = async () => (await kitchen.place()) as { id: string; external_id: string };
type Include = 'revision' | 'details' | 'items' | 'snapshot' | 'books';

async function readings(id: string, externalId: string) {
  const { orders } = api.client();
  const include = ['revision' as const];
  const entryOf = async (include: Include[], changes = {}) =>
    (await orders.list.query({ limit: 200, include, ...changes })).data.find((order) => order.id === id);
  const one = await orders.get.query({ id, include });
  const all = [
    one,
    await orders.get.query({ id, include: ['books', 'revision', 'snapshot'] }),
    await orders.getByExternalId.query({ external_id: externalId, include }),
    await entryOf(['revision']),
    await entryOf(['details', 'items', 'snapshot', 'revision']),
    await entryOf(['books', 'revision']),
    await entryOf(['revision'], { updated_since: '2020-01-01T00:00:00Z' }),
  ];
  return { tag: tagOf(one), revisions: all.map((order) => order?.revision) };
}

it('is the end of its ETag, in each reading that asks for it, and rises with a move', async () => {
  const { id, external_id } = await place();
  const before = await readings(id, external_id);
  expect(before.revisions.map((revision) => `"${id}-${revision}"`)).toEqual(Array(7).fill(before.tag));
  await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
  const after = await readings(id, external_id);
  expect(after.revisions.map((revision) => `"${id}-${revision}"`)).toEqual(Array(7).fill(after.tag));
  expect(after.revisions[0]).toBeGreaterThan(before.revisions[0] ?? Number.NaN);
});

it('is shown nowhere else', async () => {
  const { id } = await place();
  const { orders } = api.client();
  const { data } = await orders.list.query({ include: ['details', 'items', 'books'] });
  for (const order of [await orders.get.query({ id }), ...data]) expect(order).not.toHaveProperty('revision');
  const [entry] = (await orders.list.query({ include: ['revision'] })).data;
  expect(Object.keys(entry ?? {}).sort()).toEqual(
    ['created_at', 'id', 'number', 'payment', 'revision', 'status', 'total'].sort(),
  );
});
