import { makeOther, type Other } from '../company.ts';
import { type Measure, measure, medians, type Request, type Side } from '../load.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part, PartContext } from './part.ts';

/** How many calls of a kind one run makes. */
const calls = 1_600;
const repeats = 5;
/** As many as one statement makes well within its time. */
const ordersAtOnce = 1_000;
/** Calls at once that are compared with one at a time. */
const atOnce = 32;
/** CPU of a call that shares its transaction, as a share of what it is alone. */
const most = 0.5;

/**
 * Single writes that share a transaction when they come at once (decision 0074), in one location: CPU of Node and PostgreSQL for each call at
 * 32 connections against one, in turns.
 */
export const joined: Part = {
  name: 'joined',
  summary: 'single writes one at a time and 32 at once: CPU of Node and PostgreSQL for each call',
  async run({ setup, small, log }: PartContext) {
    const api = await setup.startApi();
    const rows: Row[] = [];
    for (const kind of kinds) {
      const amount = small ? 64 : calls;
      // A move is made once, so each run has orders of its own, those that warm up, too.
      const runs = (small ? 1 : repeats) * 2 + 2;
      const shop = await openShop({ setup }, kind.needsOrders ? amount * runs : 0);
      const side = (): Side => ({ name: 'comanda', url: api.url, pid: api.pid, requests: [kind.of(shop)] });
      const run = (connections: number) =>
        measure(side(), { connections, amount, seconds: 0, repeats: 1 }, setup.postmaster);
      await run(1);
      await run(atOnce);
      const found: { alone: Measure[]; together: Measure[] } = { alone: [], together: [] };
      for (let repeat = 0; repeat < (small ? 1 : repeats); repeat += 1) {
        found.alone.push(await run(1));
        found.together.push(await run(atOnce));
      }
      rows.push(rowOf(kind.name, medians(found.alone), medians(found.together)));
      log(`${kind.name}: ${rows.at(-1)?.note}`);
    }
    await api.stop();
    return rows;
  },
};

function rowOf(name: string, alone: Measure, together: Measure): Row {
  const sum = ({ nodeUs, postgresUs }: Measure) => nodeUs + postgresUs;
  const failures = alone.failures + together.failures;
  const shown = ({ nodeUs, postgresUs, p50Ms, p99Ms }: Measure) =>
    `Node ${nodeUs.toFixed(0)} and PostgreSQL ${postgresUs.toFixed(0)} µs, p50 ${p50Ms} and p99 ${p99Ms} ms`;
  const failed =
    failures > 0 ? `; ${failures} failed, the first: ${alone.firstFailure ?? together.firstFailure}` : '';
  const row = figureRow(
    'joined',
    `${name}: CPU of a call, ${atOnce} connections ÷ 1`,
    { most, unit: '' },
    sum(together) / sum(alone),
    `alone ${shown(alone)}; ${atOnce} at once ${shown(together)}${failed}`,
  );
  return { ...row, met: row.met && failures === 0, why: 'joined-writes.md' };
}

/** A location whose orders and payments are pending, by their ids. */
interface Shop extends Other {
  orderIds: string[];
  paymentIds: string[];
  headers: Record<string, string>;
}

async function openShop({ setup }: Pick<PartContext, 'setup'>, orders: number): Promise<Shop> {
  const other = await makeOther(setup, 100);
  const { pool } = setup.comanda;
  const orderIds: string[] = [];
  const paymentIds: string[] = [];
  for (let from = 0; from < orders; from += ordersAtOnce) {
    const { rows } = await pool.query<{ order_id: string; payment_id: string }>(
      `with made as (
         insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier)
         select $1, uuid_v7(), 1000 + n, 'open-' || n, 12.5, $2, '' from generate_series($4::int + 1, $5::int) n returning id, number
       ), bought as (
         insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
         select $1, m.id, 1, ($3::uuid[])[1 + m.number % 100], 'Product', 12.5, 1, 12.5 from made m
       ), paid as (
         insert into payments (location_id, order_id, payment_method_id, amount)
         select $1, m.id, $2, 12.5 from made m returning id, order_id
       ) select order_id, id as payment_id from paid`,
      [
        ...[other.locationId, other.paymentMethodId, other.productIds],
        ...[from, Math.min(orders, from + ordersAtOnce)],
      ],
    );
    orderIds.push(...rows.map(({ order_id }) => order_id));
    paymentIds.push(...rows.map(({ payment_id }) => payment_id));
  }
  await pool.query('truncate internal.captured_changes');
  await pool.query('vacuum analyze');
  const headers = { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' };
  return { ...other, orderIds, paymentIds, headers };
}

let counter = 0;

/** The next of them, from the first again after the last. */
const nextOf = (ids: readonly string[]): string => {
  counter += 1;
  return ids[counter % ids.length] ?? '';
};

const kinds: readonly { name: string; needsOrders?: true; of(shop: Shop): Request }[] = [
  {
    name: 'PATCH /v2/products/{id}, a price',
    of: ({ headers, productIds }) => ({
      ...{ method: 'PATCH', path: '/v2/products', headers },
      next: () => ({
        path: `/v2/products/${nextOf(productIds)}`,
        body: JSON.stringify({ price: (500 + (counter % 9_973)) / 100 }),
      }),
    }),
  },
  {
    name: 'POST /v2/products/{id}/stock/adjust',
    of: ({ headers, productIds }) => ({
      ...{ method: 'POST', path: '/v2/products', headers },
      next: () => ({
        path: `/v2/products/${nextOf(productIds)}/stock/adjust`,
        headers: { 'idempotency-key': `adjust-${counter}` },
        body: JSON.stringify({ adjust: -1 }),
      }),
    }),
  },
  {
    name: 'PATCH /v2/orders/{id}/status, pending to ready',
    needsOrders: true,
    of: ({ headers, orderIds }) => ({
      ...{ method: 'PATCH', path: '/v2/orders', headers },
      next: () => ({
        path: `/v2/orders/${nextOf(orderIds)}/status`,
        body: JSON.stringify({ status: 'ready' }),
      }),
    }),
  },
  {
    name: 'payments.complete',
    needsOrders: true,
    of: ({ headers, paymentIds }) => ({
      ...{ method: 'POST', path: '/trpc/payments.complete', headers },
      next: () => ({ body: JSON.stringify({ id: nextOf(paymentIds) }) }),
    }),
  },
];
