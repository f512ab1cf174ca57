import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { typedClient } from '../support/api.ts';
import { createProduct } from '../support/factories.ts';
import { untilWaiting } from '../support/money.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { runOnce } from '../support/server.ts';
import { useTwoProcesses } from './two-servers.ts';

/** Closing answered 503 after 15 s while orders of a fraction of a second came without a gap; now it waits its turn like one. */
const closedWithinOrders = 2;
const rounds = 3;

const two = useTwoProcesses();
let productId: string;
beforeAll(async () => {
  productId = await createProduct(two.database, { locationId: two.locationId });
});

const post = (lane: number) =>
  two.order(lane, randomUUID(), orderBody({ productId, paymentMethodId: two.paymentMethodId }));
const turnsOf = (process: 0 | 1) => typedClient(two.urls[process], two.key).turns;

it('an order that comes after the one who closes the turn waits behind it', async () => {
  const { locationId, database } = two;
  const { id } = await turnsOf(0).open.mutate();
  await post(0);
  // Stands for an order under way: one of the service gives its locks back after a moment, and waits again.
  const underWay = await database.pool.connect();
  try {
    await underWay.query('begin');
    await underWay.query('select pg_advisory_xact_lock_shared(turn_lock($1))', [locationId]);
    const closing = turnsOf(1).close.mutate();
    await untilWaiting(database, 1);
    const after = post(1);
    await untilWaiting(database, 2);
    await underWay.query('commit');
    expect(await closing).toMatchObject({ id, total_orders: 1 });
    const made = await prismaOf(database).order.findFirstOrThrow({
      where: { id: orderOf(await after).id },
    });
    expect(made.turnId).toBeNull();
  } finally {
    await underWay.query('rollback');
    underWay.release();
  }
});

it('a turn is closed while 24 clients order without pause over two servers, with exact totals', async () => {
  // As on a slow disk: orders wait for one another, and there is never a moment without one.
  await runOnce(
    two.database.pool.options.connectionString ?? '',
    `create function slow_down() returns trigger language plpgsql as $$
       begin perform pg_sleep(0.1); return null; end $$;
     create trigger slow_down before insert on orders for each statement execute function slow_down()`,
  );
  const { locationId, database, urls, key } = two;
  const { payments } = typedClient(urls[0], key);
  let ordering = true;
  let made = 0;
  let slowestOrder = 0;
  const order = async (lane: number) => {
    const began = performance.now();
    const answer = await post(lane);
    slowestOrder = Math.max(slowestOrder, Math.round(performance.now() - began));
    expect(answer.status, answer.text).toBe(201);
    made += 1;
    return orderOf(answer);
  };
  const lanes = Array.from({ length: 24 }, async (_, lane) => {
    while (ordering) await order(lane);
  });
  const all = Promise.all(lanes);
  all.catch(() => {
    ordering = false;
  });
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const turn = await turnsOf(0).open.mutate();
    for (const lane of [0, 1]) {
      const { payment } = await order(lane);
      await payments.complete.mutate({ id: payment.id });
    }
    await sleep(200);
    const began = performance.now();
    const closed = await turnsOf(round % 2 === 0 ? 0 : 1).close.mutate();
    took.push(Math.round(performance.now() - began));
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int as count from orders where location_id = $1 and turn_id = $2',
      [locationId, turn.id],
    );
    expect(closed).toMatchObject({ id: turn.id, total_orders: rows[0]?.count, total_collected: 25 });
    expect(rows[0]?.count).toBeGreaterThan(2);
  }
  ordering = false;
  await all;
  console.info(`closing took ${took.join(', ')} ms with ${made} orders of ${slowestOrder} ms at most`);
  expect(Math.max(...took)).toBeLessThan(closedWithinOrders * slowestOrder);
}, 180_000);
