import type { Shop } from '../shop.ts';
import { keyOf, today } from './catalog.ts';

interface Placed {
  id: string;
  number: number;
  payment: { id: string };
}

/** Orders from their creation to their end, their lists and their export. */
export async function workOnOrders(shop: Shop, round: string): Promise<void> {
  const { call, client } = shop;
  const lines = await linesOf(shop, round);
  const placed: Placed[] = [];
  for (const [n, family] of ['v1', 'v2', 'v2', 'v2'].entries()) {
    const body = {
      external_id: `order-${round}-${n}`,
      channel: 'kiosk',
      is_take_away: n % 2 === 0,
      identifier: `Table ${n}`,
      items: lines,
      payment_method_id: shop.paymentMethodId,
    };
    placed.push(await call<Placed>(`POST /${family}/orders`, body, keyOf(`order-${n}`, round)));
    await call(`POST /${family}/orders`, body, keyOf(`order-${n}`, round));
  }
  const [canceled, closed, ready, late] = placed;
  if (canceled === undefined || closed === undefined || ready === undefined || late === undefined)
    throw new Error('four orders are placed');
  await call(`POST /v2/orders/${canceled.id}/cancel`, { reason: 'The guest left.' });
  await call(`PATCH /v1/orders/${closed.id}/status`, { status: 'ready' });
  await call(`PATCH /v2/orders/${closed.id}/status`, { status: 'closed' });
  await call(`PATCH /v2/orders/${ready.id}/status`, { status: 'ready' });
  await client.payments.complete.mutate({ id: closed.payment.id });
  await client.payments.reject.mutate({ id: late.payment.id });

  for (const family of ['v1', 'v2']) {
    await call(`GET /${family}/orders/${closed.id}`);
    for (const query of listsOf(closed)) await call(`GET /${family}/orders?${query}`);
  }
  await call(`GET /v2/orders?external_id=order-${round}-1`);
  await call('GET /v2/orders?channel=kiosk&limit=5');
  await call(`GET /v2/orders/by-external-id/order-${round}-1`);
  await call(`GET /v2/orders/${closed.id}/timeline`);
  await call(`GET /v2/orders/export?from=${today()}&to=${today()}`);

  await call('GET /v1/payments?limit=10');
  for (const query of paymentListsOf(closed)) await call(`GET /v2/payments?${query}`);
  await call(`GET /v2/payments/${closed.payment.id}`);
}

function listsOf({ number }: Placed): string[] {
  const sorts = ['created_at', 'number', 'total'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}&limit=10`),
  );
  const days = `from=${today()}&to=${today()}`;
  return ['', 'limit=5&offset=3', 'status=ready', days, `status=closed&${days}`, `number=${number}`, ...sorts];
}

const paymentListsOf = ({ id }: Placed): string[] => [
  'limit=10',
  'limit=10&status=completed',
  'limit=10&method=cash',
  `limit=10&from=${today()}&to=${today()}`,
  `order_id=${id}`,
];

/** Five lines: two with stock and a choice, three more. */
async function linesOf({ call }: Shop, round: string): Promise<object[]> {
  const snacks = await Promise.all(
    [0, 1].map((n) => call(`GET /v2/products/by-external-id/snack-${round}-${n}`)),
  );
  const cakes = await Promise.all(
    [0, 1, 2].map((n) => call(`GET /v2/products/by-external-id/cake-${round}-${n}`)),
  );
  const catalog = await call<{ categories: { products: CatalogProduct[] }[] }>('GET /v2/catalog');
  const choices = new Map(
    catalog.categories.flatMap(({ products }) =>
      products.map(({ id, subselections }) => [id, subselections[0]?.items[0]?.id] as const),
    ),
  );
  return [
    ...snacks.map(({ id }) => ({
      product_id: id,
      quantity: 1,
      subselections: [{ item_id: choices.get(id), quantity: 1 }],
    })),
    ...cakes.map(({ id }) => ({ product_id: id, quantity: 1, comment: 'Warm' })),
  ];
}

interface CatalogProduct {
  id: string;
  subselections: { items: { id: string }[] }[];
}
