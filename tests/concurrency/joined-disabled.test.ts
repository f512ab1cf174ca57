import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const rounds = trials(1, 30);

it('a location that is disabled under batches of orders, moves, prices and adjustments keeps all that was answered, and nothing comes after', async () => {
  const { database, locationId } = two;
  const productIds: string[] = [];
  for (let each = 0; each < 6; each += 1)
    productIds.push(await createProduct(database, { locationId, stock: { quantity: 100_000 } }));
  const setStatus = (status: 'active' | 'disabled') =>
    database.pool.query('update locations set status = $2::location_status where id = $1', [
      locationId,
      status,
    ]);
  const refused = new Set<string>();
  /** By the adjustments that were answered. */
  let added = 0;
  for (let round = 0; round < rounds; round += 1) {
    let ordering = true;
    const made: string[] = [];
    const moved: string[] = [];
    const lanes = Array.from({ length: 16 }, async (_, lane) => {
      while (ordering) {
        const productId = productIds[lane % 6] ?? '';
        const body = orderBody({ productId, paymentMethodId: two.paymentMethodId });
        const order = await two.order(lane, randomUUID(), body);
        if (order.status === 201) {
          const { id } = orderOf(order);
          made.push(id);
          const move = await two.call(lane, `PATCH /v2/orders/${id}/status`, { body: { status: 'ready' } });
          if (move.status === 200) moved.push(id);
          else refused.add(`${move.status}`);
          const price = await two.call(lane, `PATCH /v2/products/${productId}`, {
            body: { price: 1 + lane },
          });
          if (price.status !== 200) refused.add(`${price.status}`);
          const adjust = { body: { adjust: 3 }, headers: { 'idempotency-key': randomUUID() } };
          const adjusted = await two.call(lane, `POST /v2/products/${productId}/stock/adjust`, adjust);
          if (adjusted.status === 200) added += 3;
          else refused.add(`${adjusted.status}`);
        } else refused.add(`${order.status}`);
      }
    });
    await waitFor('orders of every lane', () => made.length >= 32);
    await setStatus('disabled');
    // Deliveries that were in flight then may still end.
    await sleep(1_000);
    const before = await database.pool.query('select count(*)::int as n from orders where location_id = $1', [
      locationId,
    ]);
    await sleep(300);
    ordering = false;
    await Promise.all(lanes);
    const rows = await two.sql<{ id: string; status: string }>`
      select id, status from orders where location_id = ${locationId}`;
    expect(rows.length).toBe(before.rows[0]?.n);
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    expect(made.filter((id) => !statuses.has(id))).toEqual([]);
    expect(moved.filter((id) => statuses.get(id) !== 'ready')).toEqual([]);
    expect(made.length).toBeGreaterThan(0);
    const stock = await database.pool.query(
      `select (select sum(quantity) from product_stock where location_id = $1) +
         (select sum(quantity) from order_items where location_id = $1) as all`,
      [locationId],
    );
    // An adjustment whose answer was lost may have been made.
    expect(Number(stock.rows[0]?.all)).toBeGreaterThanOrEqual(600_000 + added);
    if (round === rounds - 1) break;
    await setStatus('active');
    // Each process hears of it.
    await sleep(1_500);
  }
  for (const status of refused) expect(['403', '503']).toContain(status);
}, 120_000);
