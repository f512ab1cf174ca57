import { issueCode } from '@comanda/api/services';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createOrderKitchen, placeOrder, useOrderKitchen } from '../support/orders.ts';
import { runSyncJob } from '../support/sync-jobs.ts';

// The author of a price change, and all changes of one person, by any way of access.

const api = useApi(() => ({ app: 'on' }));
const hand = useHand(api);
const kitchen = useOrderKitchen(api);

/** A location with the key of an ERP, and a product that the ERP made. */
async function shop() {
  const locationId = await api.make.location();
  const erp = await api.make.key({ locationId, name: 'ERP' });
  const client = api.client(erp.key);
  const product = await client.products.create.mutate({
    external_id: 'espresso',
    name: 'Espresso',
    description: '',
    price: 95,
    category_ids: [],
  });
  return { locationId, erp, client, id: product.id };
}
type Shop = Awaited<ReturnType<typeof shop>>;

const listed = async ({ client }: Pick<Shop, 'client'>, about: string) =>
  (await client.audit.list.query({ about, limit: 100, offset: 0 })).data;

/** The changes of an entry, in few words. */
const changesOf = async (of: Shop, about = of.id) =>
  (await listed(of, about)).map(({ by, operation, table, rows = [] }) => [
    by,
    operation,
    table,
    ...rows.map(({ before, after }) => ({ before, after })),
  ]);

async function syncJob({ client, locationId }: Shop, items: object[]) {
  await client.syncJobs.startProducts.mutate({
    items: items as never,
    mode: 'upsert',
    idempotencyKey: `job ${items.length} ${Math.random()}`,
  });
  await runSyncJob(api.app.database, locationId);
}

describe('the history of a product lacks', () => {
  it('a change by a request, with its key and its request', async () => {
    const of = await shop();
    await of.client.products.update.mutate({ id: of.id, price: 131 });
    const [changed, made, ...others] = await listed(of, of.id);
    expect(others).toEqual([]);
    expect(changed).toMatchObject({
      actor: 'api_key',
      by: 'ERP',
      by_known: true,
      api_key_id: of.erp.id,
      operation: 'update',
      table: 'products',
      resource_id: of.id,
      resource_name: 'Espresso',
      row_count: 1,
      rows: [{ key: { id: of.id }, before: { price: 95 }, after: { price: 131 } }],
    });
    expect(changed?.request_id).toEqual(expect.any(String));
    expect(changed).not.toHaveProperty('changes');
    expect(made).toMatchObject({
      operation: 'insert',
      rows: [{ before: null, after: { name: 'Espresso' } }],
    });
  });

  it('a change by a job, and shows of its chunk the one row', async () => {
    const of = await shop();
    await syncJob(of, [
      { external_id: 'tea', name: 'Tea', price: 60 },
      { external_id: 'espresso', name: 'Espresso', price: 110 },
    ]);
    expect((await changesOf(of))[0]).toEqual([
      'ERP',
      'update',
      'products',
      { before: { price: 95 }, after: { price: 110 } },
    ]);
  });

  it('a change by hand, between those of programs', async () => {
    const of = await shop();
    await hand.sql('update products set price = 100 where id = $1', [of.id]);
    await of.client.products.update.mutate({ id: of.id, visible: false });
    expect((await listed(of, of.id)).map(({ actor }) => actor)).toEqual(['api_key', 'database', 'api_key']);
  });

  it('its categories', async () => {
    const of = await shop();
    const category = await api.make.category({ locationId: of.locationId });
    await of.client.products.update.mutate({ id: of.id, category_ids: [category] });
    await of.client.products.update.mutate({ id: of.id, category_ids: [] });
    expect((await changesOf(of)).slice(0, 2)).toEqual([
      ['ERP', 'delete', 'product_categories', { before: { category_id: category }, after: null }],
      ['ERP', 'insert', 'product_categories', { before: null, after: { category_id: category } }],
    ]);
  });

  it('stock where it is set, and nothing of an order, which is in the history of the order', async () => {
    const of = await shop();
    const stock = { enabled: true, quantity: 8, min_stock_alarm: 0 };
    await of.client.products.update.mutate({ id: of.id, stock });
    const { paymentMethodId } = await createOrderKitchen(api, of.locationId);
    const rest: typeof api.rest = (route, options) => api.rest(route, { key: of.erp.key, ...options });
    const { id } = await placeOrder({ rest }, { productId: of.id, paymentMethodId });
    await of.client.orders.cancel.mutate({ id });
    const items = [{ product_id: of.id, quantity: 3 }];
    await of.client.stock.sync.mutate({ items: items as never, idempotencyKey: 'stock' });
    expect((await changesOf(of)).map(([, operation, table]) => [operation, table])).toEqual([
      ['update', 'product_stock'],
      ['insert', 'product_stock'],
      ['insert', 'products'],
    ]);
  });

  it('its end, with its name', async () => {
    const of = await shop();
    await of.client.products.delete.mutate({ id: of.id });
    expect((await listed(of, of.id))[0]).toMatchObject({
      operation: 'delete',
      resource_name: 'Espresso',
      rows: [{ before: { name: 'Espresso', price: 95 }, after: null }],
    });
  });
});

describe('the audit of a location', () => {
  it('is not flooded by programs, unless a table, a person or a row is asked for', async () => {
    const of = await shop();
    const page = { limit: 100, offset: 0 };
    const counted = async (wanted: object) => {
      const { data, pagination } = await of.client.audit.list.query({ ...page, ...wanted });
      expect(pagination.total).toBe(data.length);
      return data.length;
    };
    expect(await counted({})).toBe(0);
    expect(await counted({ table: 'products' })).toBe(1);
    expect(await counted({ by: 'ERP' })).toBe(1);
    expect(await counted({ by: 'nobody' })).toBe(0);
    expect(await counted({ about: of.id })).toBe(1);
    const [entry] = await listed(of, of.id);
    expect(await counted({ about: entry?.id })).toBe(1);
  });

  it('shows nothing of another location by an id', async () => {
    const [one, other] = [await shop(), await shop()];
    expect(await listed(other, one.id)).toEqual([]);
  });
});

it('what a person did lacks a change of a price at the desk, among moves of orders', async () => {
  const { code } = await issueCode(api.app.database, {
    name: 'ana',
    screens: ['desk'],
    location_id: api.locationId,
  });
  const desk = api.client((await api.client('').appCodes.redeem.mutate({ code })).key);
  const { id } = await kitchen.place();
  await desk.orders.updateStatus.mutate({ id, status: 'ready' });
  await desk.products.update.mutate({ id: kitchen.productId, price: 13 });
  const { data } = await desk.audit.list.query({ by: 'ana', limit: 2, offset: 0 });
  expect(data.map(({ operation, by, by_known }) => [operation, by, by_known])).toEqual([
    ['update', 'ana', true],
    ['orders.updateStatus', 'ana', true],
  ]);
});
