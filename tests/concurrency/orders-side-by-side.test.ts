import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { createProduct } from '../support/factories.ts';
import { type OrderKitchen, orderBody, postOrder, useOrderKitchen } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);
let held: string;

beforeAll(async () => {
  const { locationId } = api;
  held = await createProduct(api.app.database, { locationId, stock: { quantity: 1_000 } });
});

const of = (productId: string): OrderKitchen => ({ ...kitchen, productId });

/** Orders unlocked products, one after the other, until `done`; returns the number of orders. */
async function ordering(done: () => boolean): Promise<number> {
  let made = 0;
  for (; !done(); made += 1) {
    const { status, text } = await postOrder(api, orderBody(kitchen));
    expect(status, text).toBe(201);
  }
  return made;
}

async function holding(take: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await api.app.database.pool.connect();
  await client.query('begin');
  await take(client);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

describe('orders of the location are made while one waits', () => {
  it('for its key, which another process has', async () => {
    const key = randomUUID();
    const [{ id } = { id: '' }] = await prismaOf(api.app.database).apiKey.findMany({
      where: { locationId: api.locationId },
    });
    const release = await holding((client) =>
      client.query("select pg_advisory_xact_lock(hashtextextended($1 || 'orders.create' || $2, 0))", [
        id,
        key,
      ]),
    );
    let answered = false;
    const waits = postOrder(api, orderBody(kitchen), { idempotencyKey: key }).finally(() => {
      answered = true;
    });
    for (let each = 0; each < 5; each += 1)
      expect((await postOrder(api, orderBody(kitchen))).status).toBe(201);
    expect(answered).toBe(false);
    await release();
    expect((await waits).status).toBe(201);
  });

  it('for stock that another transaction holds, which it waits for alone', async () => {
    const release = await holding((client) =>
      client.query('select from product_stock where product_id = $1 for update', [held]),
    );
    let isOver = false;
    const waits = postOrder(api, orderBody(of(held))).finally(() => {
      isOver = true;
    });
    const beside = ordering(() => isOver);
    const { status } = await waits;
    await release();
    // The two seconds of lock_timeout: it gives up, and says when to come again.
    expect(status).toBe(503);
    expect(await beside).toBeGreaterThan(5);
  });
});
