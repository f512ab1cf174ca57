import type { Shop } from '../shop.ts';
import { keyOf, type Round, today } from './round.ts';

interface Placed {
  id: string;
  number: number;
  payment: { id: string };
}

/** Orders from their creation to their end, their lists and their payments. Takes what `workOnBatches` brought. */
export async function workOnOrders(shop: Shop, { name, families }: Round): Promise<void> {
  const { call, client } = shop;
  const lines = await linesOf(shop, name);
  const last = families.at(-1);
  const placed: Placed[] = [];
  for (const [n, family] of [families[0], last, last].entries()) {
    const body = {
      external_id: `order-${name}-${n}`,
      channel: 'kiosk',
      is_take_away: n % 2 === 0,
      identifier: `Table ${n}`,
      items: lines,
      payment_method_id: shop.paymentMethodId,
    };
    if (family === 'v2') await call('POST /v2/orders/quote', body);
    placed.push(await call<Placed>(`POST /${family}/orders`, body, keyOf(`order ${n}`, name)));
    await call(`POST /${family}/orders`, body, keyOf(`order ${n}`, name));
  }
  const [canceled, closed, ready] = placed;
  if (canceled === undefined || closed === undefined || ready === undefined)
    throw new Error('three orders are placed');
  const edit = { note: 'No onions', items: { add: lines, change: [{ line_id: 1, quantity: 2 }] } };
  await call(`PATCH /v2/orders/${canceled.id}`, edit, { 'if-match': '*' });
  await call(`POST /v2/orders/${canceled.id}/cancel`, { reason: 'The guest left.' });
  await call(`PATCH /${families[0]}/orders/${closed.id}/status`, { status: 'ready' });
  await call(`PATCH /${last}/orders/${closed.id}/status`, { status: 'closed' });
  await call(`PATCH /${last}/orders/${ready.id}/status`, { status: 'ready' });
  await call(`POST /v2/payments/${closed.payment.id}/complete`);
  await call(`POST /v2/payments/${ready.payment.id}/reject`);
  const another = { payment_method_id: shop.paymentMethodId };
  await call(`POST /v2/orders/${ready.id}/payments`, another, keyOf('payment', name));
  const refund = { amount: 0.5, reason: 'Cold', person: 'Ana' };
  await call(`POST /v2/payments/${closed.payment.id}/refund`, refund, keyOf('refund', name));

  for (const family of families) {
    await call(`GET /${family}/payments?limit=10`);
    await call(`GET /${family}/orders/${closed.id}`);
    for (const query of listsOf(closed)) await call(`GET /${family}/orders?${query}`);
  }
  for (const query of severalOf()) await call(`GET /v2/orders?${query}`);
  await call(`GET /v2/orders?external_id=order-${name}-1`);
  await call('GET /v2/orders?channel=kiosk&limit=10');
  await call(`GET /v2/orders/by-external-id/order-${name}-1`);
  await call(`GET /v2/orders/${closed.id}/timeline`);
  for (const wanted of [{ id: closed.id }, { number: closed.number }, { external_id: `order-${name}-1` }])
    await client.orders.overview.query(wanted);
  await client.orders.search.query({ text: 'Table 1', from: today(), to: today() });
  await call(`GET /v2/orders/export?from=${today()}&to=${today()}`);

  for (const query of paymentListsOf(closed)) await call(`GET /v2/payments?${query}`);
  await call(`GET /v2/payments/${closed.payment.id}`);
  await call(`GET /v2/payments/${closed.payment.id}?include=books`);
  await call(`GET /v2/orders/${closed.id}?include=books`);
  await call(`GET /v2/orders/by-external-id/order-${name}-1?include=books`);
  await call(`GET /v2/orders/${ready.id}?include=payments,books,snapshot`);
  await call(`GET /v2/orders/by-external-id/order-${name}-2?include=payments`);
  await call('GET /v2/orders?include=payments&limit=10');
  await call('GET /v2/orders?include=books&limit=10');
}

function listsOf({ number }: Placed): string[] {
  const sorted = ['created_at', 'number', 'total'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}&limit=10`),
  );
  const days = `limit=10&from=${today()}&to=${today()}`;
  return [
    'limit=10',
    'limit=10&offset=3',
    'limit=10&status=ready',
    days,
    `${days}&status=closed`,
    `${days}&sort=total`,
    `number=${number}`,
    ...sorted,
  ];
}

/** By several statuses, and with more than the six fields. */
const severalOf = (): string[] => [
  'status=pending,ready&limit=10&include=details,items',
  `status=ready,closed&limit=10&offset=3&order=asc&from=${today()}&to=${today()}&include=details`,
  'status=closed,canceled&sort=number&limit=10&include=items',
];

const paymentListsOf = ({ id }: Placed): string[] => [
  'limit=10&status=completed',
  'limit=10&method=cash',
  `limit=10&from=${today()}&to=${today()}`,
  `order_id=${id}`,
];

/** Two products with stock and a choice, and two with stock alone. */
async function linesOf({ call }: Shop, name: string): Promise<object[]> {
  const { categories } = await call<Catalog>('GET /v2/catalog');
  const products = categories.flatMap((category) => category.products);
  return ['snack', 'snack', 'cake', 'cake'].map((kind, n) => {
    const product = products.find(({ external_id }) => external_id === `${kind}-${name}-${n % 2}`);
    const [choice] = product?.subselections[0]?.items ?? [];
    return {
      product_id: product?.id,
      quantity: 1,
      ...(choice === undefined
        ? { comment: 'Warm' }
        : { subselections: [{ item_id: choice.id, quantity: 1 }] }),
    };
  });
}

interface Catalog {
  categories: {
    products: { id: string; external_id?: string; subselections: { items: { id: string }[] }[] }[];
  }[];
}
