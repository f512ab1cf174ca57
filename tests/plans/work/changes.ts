import type { Shop } from '../shop.ts';

/** Reads what has changed in every list that shows it: the first page, the next, and by what narrows it. */
export async function workOnChanges({
  client: { stock, products, categories, orders, payments },
}: Shop): Promise<void> {
  const first = { updated_since: new Date(Date.now() - 60_000).toISOString(), limit: 10 };
  const next = ({ pagination }: { pagination: { next?: string | undefined } }) => ({
    cursor: pagination.next,
    limit: 10,
  });
  await stock.list.query(next(await stock.list.query(first)));
  await products.list.query(next(await products.list.query(first)));
  await categories.list.query(next(await categories.list.query(first)));
  const gone = { include: ['deleted' as const] };
  await products.list.query({ ...next(await products.list.query({ ...first, ...gone })), ...gone });
  await categories.list.query({ ...next(await categories.list.query({ ...first, ...gone })), ...gone });
  await payments.list.query(next(await payments.list.query(first)));
  await payments.list.query({ ...first, include: ['books'] });
  await products.list.query({ ...first, visible: true });
  await orders.list.query(next(await orders.list.query(first)));
  await orders.list.query({ ...first, number: 1 });
  await orders.list.query({ ...first, external_id: 'order-none' });
  await orders.list.query({ ...first, status: 'pending' });
  await orders.list.query({ ...first, status: ['pending', 'ready'], include: ['items'] });
}
