import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { useApi } from '../support/api.ts';
import { createCategory, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { tableReferredBy } from '../support/referred.ts';
import { callReferences } from './reference-router.ts';

// A field that refers to another resource is declared by refersTo() and held by a foreign key (references.ts).

const api = useApi();

async function call(method: string, id: string, body?: object, key?: string) {
  const answer = await callReferences(api, `${method} /v2/links/${id}`, body, key);
  const { status, headers } = answer;
  return {
    status,
    reason: headers.get('x-error-reason'),
    message: (answer.body.error as { message: string } | undefined)?.message,
  };
}

test('a reference to nothing, to what is elsewhere, or that is no id is refused without its path', async () => {
  const { database } = api.app;
  const { locationId } = api;
  const product = await createProduct(database, { locationId });
  const category = await createCategory(database, { locationId });
  const elsewhere = await createLocation(database);
  const foreign = await createCategory(database, { locationId: elsewhere });
  for (const wrong of [newId(), foreign, 'none', '']) {
    const body = { category_id: wrong, lines: [{ category_id: category }, { category_id: wrong }] };
    expect(await call('POST', product, body, 'the-same-key')).toEqual({
      ...{ status: 422, reason: 'unknown_reference' },
      message: 'category_id: names nothing in categories; lines[1].category_id: names nothing in categories',
    });
  }
  // The key is unused: what was refused can be mended.
  const mended = { category_id: category };
  expect(await call('POST', product, mended, 'the-same-key')).toMatchObject({ status: 200 });
  expect(await call('POST', product, mended, 'the-same-key')).toMatchObject({ status: 200 });
  expect(await call('POST', product, { category_id: null })).toMatchObject({ status: 200 });
});

test('what others refer to is deleted, or refused without who refers to it', async () => {
  const { locationId } = api;
  const method = await createPaymentMethod(api.app.database, { locationId });
  const product = await createProduct(api.app.database, { locationId });
  const order = {
    ...{ is_take_away: false, identifier: '', payment_method_id: method },
    items: [{ product_id: product, quantity: 1 }],
  };
  await api.rest('POST /v2/orders', { body: order, headers: { 'idempotency-key': 'order' } });
  const refused = await call('DELETE', method);
  expect(refused).toMatchObject({ status: 409, reason: 'still_referenced' });
  expect(refused.message).toMatch(
    /^(orders|payments) still refer to it \(payment_method_id\): change or delete these first\.$/,
  );
});

test('a declared reference names no table of a location, or has no foreign key', async () => {
  const { rows } = await api.app.database.pool.query<{ table: string; column: string }>(
    `select distinct c.confrelid::regclass::text as table, a.attname as column from pg_constraint c
     cross join unnest(c.conkey) k (number) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
     where c.contype = 'f' and cardinality(c.conkey) = 2 and a.attname <> 'location_id'`,
  );
  for (const [column, table] of tableReferredBy) {
    expect(tables.map(({ name }) => name)).toContain(table);
    expect(rows).toContainEqual({ table, column });
  }
  expect(rows).toContainEqual({ table: 'categories', column: 'category_id' });
});
