import { fillWithOthers } from '../company.ts';
import { alternate, type Request, type Side } from '../load.ts';
import { type Row, ratioRow } from '../result.ts';
import { makeShop, type Shop } from '../shop.ts';
import type { Part } from './part.ts';

/**
 * How many ask at once, over how many locations, and the least share of the reference. At 32 connections it is the goal; elsewhere what
 * was reached (docs/bench/orders.md).
 */
const scenes = [
  { connections: 32, locations: 8, least: 0.65 },
  { connections: 1, locations: 1, least: 0.4 },
  { connections: 8, locations: 1, least: 0.8 },
  { connections: 32, locations: 1, least: 0.8 },
  { connections: 128, locations: 1, least: 1.2 },
  { connections: 1, locations: 4, least: 0.35 },
  { connections: 8, locations: 4, least: 0.45 },
  { connections: 32, locations: 4, least: 0.8 },
  { connections: 128, locations: 4, least: 1.2 },
];

/** `POST /v2/orders` with five items, over locations that were made after the database was filled. */
export const orders: Part = {
  name: 'orders',
  summary: 'create orders of five items over one, four and eight locations, at 1 to 128 connections',
  async run({ setup, effort, small, log }) {
    const api = await setup.startApi();
    const reference = await setup.startReference();
    await fillWithOthers(setup, small);
    const rows: Row[] = [];
    for (const { connections, locations, least } of small ? scenes.slice(0, 1) : scenes) {
      const shops: Shop[] = [];
      for (let index = 0; index < (small ? 2 : locations); index += 1)
        shops.push(await makeShop(setup, api.url, 100));
      const sides: [Side, Side] = [
        { name: 'comanda', url: api.url, pid: api.pid, requests: shops.map(ofComanda) },
        { name: 'reference', url: reference.url, pid: reference.pid, requests: shops.map(ofReference) },
      ];
      const found = await alternate(
        sides,
        small ? effort : { connections, seconds: 4, repeats: 3 },
        setup.postmaster,
      );
      const work = `POST /v2/orders, 5 items, ${connections} connections, ${locations} new locations of a filled database`;
      const row = {
        ...ratioRow('orders', work, least, found, 'medians of 3 alternating runs of 4 s'),
        why: 'orders.md',
      };
      log(`${row.work}: ${row.figure}, p99 ${row.sides?.comanda.p99Ms} ms`);
      rows.push(row);
    }
    await Promise.all([api.stop(), reference.stop()]);
    return rows;
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
