import { openDatabase } from '@comanda/db';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApi } from '../support/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';

const direct = useTestDatabase();
const api = useApi(() => ({ databaseUrl: direct.url, databaseDirectUrl: direct.url }));

const january = 'from=2026-01-01&to=2026-01-31';

it('without a pooler nothing is compiled: PostgreSQL 15 did so for each claim of deliveries, for a second', async () => {
  const database = openDatabase({ url: direct.url, poolSize: 1 });
  const { rows } = await database.pool.query('show jit');
  await database.close();
  expect(rows).toEqual([{ jit: 'off' }]);
});

describe('with DATABASE_DIRECT_URL, behind a pooler in transaction mode', () => {
  it('requests leave no prepared statement behind on a connection that another may get', async () => {
    const kitchen = await createOrderKitchen(api);
    await placeOrder(api, kitchen);
    for (const route of ['GET /v2/orders', 'GET /v2/catalog', 'GET /v2/products'])
      expect((await api.rest(route)).status).toBe(200);
    expect((await api.rest(`GET /v2/orders/export?${january}`)).status).toBe(200);
    const { pool } = api.app.database;
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    onTestFinished(async () => {
      for (const client of clients) client.release();
    });
    expect(clients.length).toBeGreaterThan(0);
    for (const client of clients) {
      const { rows } = await client.query('select name, statement from pg_prepared_statements');
      expect(rows).toEqual([]);
    }
  });
});
