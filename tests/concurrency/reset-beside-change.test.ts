import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { atLocks } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();

test('a product that is changed at the moment of a reset does not outlive it', async () => {
  const { database } = api.app;
  const locationId = await createLocation(database, { sandbox: true });
  const { key } = await createKey(database, { locationId });
  const made = await api.rest<{ data: { id: string } }>('POST /v2/products', {
    key,
    body: { name: 'Soup', description: '', price: 9, external_id: 'soup' },
  });
  expect([made.status, made.text]).toEqual([201, made.text]);
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    await other.query('update products set price = 10 where location_id = $1', [locationId]);
    const reset = api.rest('POST /v2/sandbox/reset', { key });
    const waits = async () => (await atLocks(api.sql, '%empty_sandbox%')) > 0;
    await waitFor('the reset to wait for the product', waits);
    await other.query('commit');
    expect((await reset).status).toBe(200);
  } finally {
    other.release();
  }
  expect((await api.rest('GET /v2/products/by-external-id/soup', { key })).status).toBe(404);
});
