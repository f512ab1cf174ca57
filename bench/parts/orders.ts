import { fillWithOthers } from '../company.ts';
import { alternate, type Request, type Side } from '../load.ts';
import { ratioRow } from '../result.ts';
import { makeShop, type Shop } from '../shop.ts';
import type { Part } from './part.ts';

/** `POST /v2/orders` with five items, over eight locations that were made after the database was filled. */
export const orders: Part = {
  name: 'orders',
  summary: 'create orders of five items over eight locations',
  async run({ place, effort, small }) {
    const api = await place.startApi();
    const reference = await place.startReference();
    await fillWithOthers(place, small);
    const shops: Shop[] = [];
    for (let index = 0; index < (small ? 2 : 8); index += 1) shops.push(await makeShop(place, api.url, 100));
    const sides: [Side, Side] = [
      { name: 'comanda', url: api.url, pid: api.pid, requests: shops.map(ofComanda) },
      { name: 'reference', url: reference.url, pid: reference.pid, requests: shops.map(ofReference) },
    ];
    const found = await alternate(sides, effort, place.postmaster);
    await Promise.all([api.stop(), reference.stop()]);
    return [
      {
        ...ratioRow('orders', 'POST /v2/orders, 5 items, 8 new locations of a filled database', 0.65, found),
        why: 'orders.md',
      },
    ];
  },
};

let counter = 0;

function ofComanda(shop: Shop): Request {
  const { headers, productIds } = shop;
  return {
    method: 'POST',
    path: '/v2/orders',
    headers,
    next() {
      counter += 1;
      return { headers: { 'idempotency-key': `bench-${counter}` }, body: orderBody(shop, productIds) };
    },
  };
}

function ofReference(shop: Shop): Request {
  const { location, productIds } = shop.reference;
  return {
    method: 'POST',
    path: `/${location}/orders`,
    headers: { 'content-type': 'application/json' },
    next() {
      counter += 1;
      return { body: orderBody(shop, productIds) };
    },
  };
}

function orderBody({ paymentMethodId }: Shop, productIds: readonly string[]): string {
  const items = Array.from({ length: 5 }, (_, index) => ({
    product_id: productIds[(counter * 7 + index * 13) % productIds.length],
    external_product_id: `p${(counter * 7 + index * 13) % productIds.length}`,
    quantity: 1 + (index % 3),
  }));
  return JSON.stringify({
    external_id: `order-${counter}`,
    channel: 'bench',
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items,
  });
}
