import { beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createKey, createProduct } from '../support/factories.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { atLocks } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';

// Orders and their numbers stay under every writer, and a mistake with one has a documented repair.

const api = useApi();
const hand = useHand(api);
const other = useHand(api);
const admin = useHand(api, { role: 'admin' });
let kitchen: OrderKitchen;
beforeEach(async () => {
  kitchen = await createOrderKitchen(api);
});

describe('an order by hand above READ COMMITTED', () => {
  const draft = `with made as (insert into orders (location_id, payment_method_id) values ($1, $2) returning id)
    select id from made`;
  const line = `insert into order_items (location_id, order_id, product_id, quantity) values ($1, $2, $3, 1)`;

  it.each(['repeatable read', 'serializable'])(
    'at %s is refused where its turn is closed before it commits',
    async (level) => {
      await hand.sql`
        update turns set status = 'closed' where location_id = ${api.locationId} and status = 'open'`;
      await hand.sql('insert into turns (location_id) values ($1)', [api.locationId]);
      await admin.sql(`begin isolation level ${level}`);
      const [order] = await admin.sql<{ id: string }>(draft, [api.locationId, kitchen.paymentMethodId]);
      await admin.sql(line, [api.locationId, order?.id, kitchen.productId]);
      await other.sql`
        update turns set status = 'closed' where location_id = ${api.locationId} and status = 'open'`;
      await expect(admin.sql('commit')).rejects.toMatchObject({ code: '40001' });
      await admin.sql('rollback');
      expect(await hand.sql('select from orders where id = $1', [order?.id])).toEqual([]);
    },
  );

  it('is made where no turn is closed meanwhile', async () => {
    await admin.sql('begin isolation level serializable');
    const [order] = await admin.sql<{ id: string }>(draft, [api.locationId, kitchen.paymentMethodId]);
    await admin.sql(line, [api.locationId, order?.id, kitchen.productId]);
    await admin.sql('commit');
    expect(await hand.sql('select number > 0 as numbered from orders where id = $1', [order?.id])).toEqual([
      { numbered: true },
    ]);
  });
});

describe('an order that has its number', () => {
  it('is not deleted by an admin, nor by the service', async () => {
    const { id } = await placeOrder(api, kitchen);
    const kept = { code: 'CM008', message: expect.stringMatching(/^an order that has its number is kept/) };
    await expect(admin.sql('delete from orders where id = $1', [id])).rejects.toMatchObject(kept);
    await expect(api.app.database.pool.query('delete from orders where id = $1', [id])).rejects.toMatchObject(
      kept,
    );
  });
});

describe('a cancellation by mistake', () => {
  beforeEach(async () => {
    const productId = await createProduct(api.app.database, {
      locationId: api.locationId,
      price: 5,
      stock: { quantity: 10 },
    });
    kitchen = { ...kitchen, productId };
  });
  const stock = async () =>
    (
      await hand.sql<{ left: number }>`
        select quantity::float8 as left from product_stock where location_id = ${api.locationId} and product_id = ${kitchen.productId}`
    )[0]?.left;

  it('is taken back by the deed repair: stock follows, and consumers and the timeline read of it', async () => {
    const placed = await placeOrder(api, kitchen);
    const taken = await stock();
    await api.rest(`POST /v2/orders/${placed.id}/cancel`, { body: { reason: 'a slip' } });
    expect(await stock()).not.toBe(taken);
    const back = `update orders set status = 'ready' where id = $1`;
    await expect(admin.sql(back, [placed.id])).rejects.toMatchObject({ code: 'CM001' });
    await hand.deed('repair: canceled by a slip', back, [placed.id]);
    expect(await stock()).toBe(taken);
    expect(
      await hand.sql`
        select changed, before[1]->>'status' as was, after[1]->>'status' as becomes from internal.captured_changes
        where ${placed.id} = any (resource_ids) and operation = 'update' order by id desc limit 1`,
    ).toEqual([{ changed: ['status', 'cancel_reason'], was: 'canceled', becomes: 'ready' }]);
    const { body } = await api.rest(`GET /v2/orders/${placed.id}/timeline`);
    expect((body as { data: unknown[] }).data).toContainEqual(
      expect.objectContaining({
        kind: 'moved',
        from: 'canceled',
        to: 'ready',
        reason: 'repair: canceled by a slip',
      }),
    );
    expect(
      await hand.sql`
        select deed from audit_entries where location_id = ${api.locationId} and relation = 'orders' order by created_at desc limit 1`,
    ).toEqual([{ deed: 'repair: canceled by a slip' }]);
  });

  it('stays where the stock is gone', async () => {
    const placed = await placeOrder(api, kitchen);
    await api.rest(`POST /v2/orders/${placed.id}/cancel`, { body: { reason: 'a slip' } });
    await hand.sql('update product_stock set quantity = 0 where location_id = $1', [api.locationId]);
    await expect(
      hand.deed('repair: a slip', `update orders set status = 'ready' where id = $1`, [placed.id]),
    ).rejects.toMatchObject({
      code: 'CM008',
      message: expect.stringMatching(/^the stock that this order took is gone/),
    });
  });
});

describe('what a session that is not the service says of itself', () => {
  it('blames no key and no request for a move', async () => {
    const { id } = await placeOrder(api, kitchen);
    await admin.sql(
      `begin; set local comanda.api_key_id = '${api.key.id}'; set local comanda.request_id = 'mine'`,
    );
    await admin.sql(`update orders set status = 'ready' where id = $1`, [id]);
    await admin.sql('commit');
    expect(
      await hand.sql('select moved_by, request_id from internal.order_moves where order_id = $1', [id]),
    ).toEqual([{ moved_by: null, request_id: null }]);
    expect(
      await hand.sql`select request_id from internal.captured_changes where ${id} = any (resource_ids) and operation = 'update'`,
    ).toEqual([{ request_id: null }]);
  });

  it('hides no payment from those who read changes', async () => {
    const { id } = await placeOrder(api, kitchen);
    const [{ since } = { since: '' }] = await hand.sql<{ since: string }>`
      select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since`;
    await admin.sql(`set comanda.announced = '1'`);
    await admin.sql(`update payments set status = 'completed' where order_id = $1`, [id]);
    await admin.sql('reset comanda.announced');
    const { body } = await api.rest(`GET /v2/orders?updated_since=${encodeURIComponent(since)}`);
    expect(body).toMatchObject({ data: [expect.objectContaining({ id })] });
  });

  it('holds the lock of its announcement once, for any writes', async () => {
    await admin.sql('begin');
    for (let n = 0; n < 3; n += 1)
      await admin.sql(`update products set description = 'd${n}' where location_id = $1`, [api.locationId]);
    const locks = await admin.sql(`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
      and classid::bigint = change_lock()`);
    await admin.sql('rollback');
    expect(locks).toHaveLength(1);
  });

  it('names no deed and no undone entry in the audit', async () => {
    const [entry] = await hand.sql<{ id: string }>`
      insert into categories (location_id, name) values (${api.locationId}, 'New') returning (select id from audit_entries limit 1) as id`;
    await admin.sql(
      `begin; set local comanda.deed = 'repair: ordered by the owner'; set local comanda.undoing = '${entry?.id ?? api.locationId}'`,
    );
    await admin.sql`
      update categories set name = 'Newer' where location_id = ${api.locationId} and name = 'New'`;
    await admin.sql('commit');
    expect(
      await hand.sql`
        select deed, undo_of from audit_entries where location_id = ${api.locationId} and relation = 'categories' order by created_at desc limit 1`,
    ).toEqual([{ deed: null, undo_of: null }]);
    await expect(admin.sql('select begin_undo($1)', [api.locationId])).rejects.toMatchObject({
      code: '42501',
    });
  });
});

it('rows that go with a deletion name its entry, even if the session names another', async () => {
  const id = await createProduct(api.app.database, {
    locationId: api.locationId,
    price: 5,
    stock: { quantity: 10 },
  });
  const forged = JSON.stringify({ [api.locationId]: api.key.id });
  await admin.sql(`begin; set local comanda.deleting = '${forged}'`);
  await admin.sql('delete from products where id = $1', [id]);
  await admin.sql('commit');
  expect(
    await hand.sql`select c.relation from audit_entries a join audit_entries c on c.caused_by = a.id
      where a.location_id = ${api.locationId} and a.resource_id = ${id} and a.operation = 'delete'`,
  ).toEqual([{ relation: 'product_stock' }]);
});

describe('a turn', () => {
  it('ends between its last order and now, for any way of closing it', async () => {
    await hand.sql`
      update turns set status = 'closed' where location_id = ${api.locationId} and status = 'open'`;
    await hand.sql('insert into turns (location_id) values ($1)', [api.locationId]);
    await placeOrder(api, kitchen);
    for (const ended of [`'2099-01-01'`, 'started_at'])
      await expect(
        hand.deed(
          'repair: a test',
          `update turns set status = 'closed', ended_at = ${ended} where location_id = $1 and status = 'open'`,
          [api.locationId],
        ),
      ).rejects.toMatchObject({
        code: '23514',
        message: expect.stringMatching(/^a turn ends after its last order/),
      });
  });
});

it('a key that is deleted by hand while its call is under way is not valid, and nothing is done', async () => {
  const { id } = await placeOrder(api, kitchen);
  const key = await createKey(api.app.database, { locationId: api.locationId });
  await hand.sql('begin');
  await hand.sql('select from orders where id = $1 for update', [id]);
  const call = api.rest(`POST /v2/orders/${id}/cancel`, {
    key: key.key,
    headers: { 'Idempotency-Key': 'c-1' },
    body: { reason: 'a test' },
  });
  await waitFor('the call to wait for the order', async () => (await atLocks(other.sql)) > 0);
  await other.sql('delete from api_keys where id = $1', [key.id]);
  await hand.sql('commit');
  expect(await call).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect(await hand.sql('select status from orders where id = $1', [id])).toEqual([{ status: 'pending' }]);
});
