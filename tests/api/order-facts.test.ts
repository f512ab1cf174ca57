import { beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { orderBody, orderOf, placeOrder, postOrder, refuseOrder } from '../support/orders.ts';
import { beginIn } from '../support/session.ts';
import { waitFor } from '../support/wait.ts';

// The data that an order is decided from is read before place_order_batch is called, by it or by orders before it. Each test changes it by SQL, as Studio
// does: the very next order must know, and so must one that is under way.

const api = useApi();

let productId: string;
let itemId: string;
let paymentMethodId: string;
beforeEach(async () => {
  const { locationId } = api;
  productId = await api.make.product({ locationId, price: 5 });
  const choice = { locationId, productId, maxSelection: 2, single: false, items: [{ price: 1, max: 2 }] };
  itemId = (await api.make.subselection(choice)).itemIds[0] ?? '';
  paymentMethodId = await api.make.paymentMethod({ locationId });
  // Read twice alike, it is remembered: the next order is decided from memory.
  await place();
  await place();
});

const kitchen = () => ({ productId, paymentMethodId });
const line = (quantity = 1) => ({
  items: [{ product_id: productId, quantity: 1, subselections: [{ item_id: itemId, quantity }] }],
});
const place = () => placeOrder(api, kitchen(), line());
const refused = (overrides: Record<string, unknown> = {}) =>
  refuseOrder(api, orderBody(kitchen(), { ...line(), ...overrides }));

describe('the next order knows', () => {
  it('a new price of a product and of a chosen item, and a new name', async () => {
    expect((await place()).total).toBe(6);
    await api.sql(`update products set price = 7, name = 'Cortado' where id = $1`, [productId]);
    expect(await place()).toMatchObject({ total: 8, items: [{ name: 'Cortado' }] });
    await api.sql('update subselection_items set price = 2 where id = $1', [itemId]);
    expect((await place()).total).toBe(9);
  });

  it('new bounds of a choice, and a choice that was added', async () => {
    await api.sql('update subselection_items set max = 1 where id = $1', [itemId]);
    expect(await refused(line(2))).toContain('must be 0 to 1 in all, got 2');
    await api.sql('update subselections set min_selection = 2 where product_id = $1', [productId]);
    expect(await refused()).toContain('needs at least 2, got 1');
    await api.sql('update subselections set min_selection = 0 where product_id = $1', [productId]);
    await place();
    const added = { locationId: api.locationId, productId, name: 'Milk', minSelection: 1, items: [{}] };
    await api.make.subselection(added);
    expect(await refused()).toContain('"Milk" needs at least 1, got 0');
  });

  it('what was deleted', async () => {
    await api.sql('delete from subselection_items where id = $1', [itemId]);
    expect(await refused()).toContain('unknown item of this product');
    const plain = { items: [{ product_id: productId, quantity: 1 }] };
    await placeOrder(api, kitchen(), plain);
    await api.sql('delete from products where id = $1', [productId]);
    expect(await refused(plain)).toContain('unknown product');
  });

  it("a payment method that was disabled, and a product's own external_id", async () => {
    await api.sql('update payment_methods set enabled = false where id = $1', [paymentMethodId]);
    expect(await refused()).toBe('payment_method_id: is disabled');
    await api.sql('update payment_methods set enabled = true where id = $1', [paymentMethodId]);
    const named = { items: [{ product_id: productId, quantity: 1, external_product_id: 'SKU-1' }] };
    await placeOrder(api, kitchen(), named);
    await api.sql(`update products set external_id = 'SKU-2' where id = $1`, [productId]);
    expect(await refused(named)).toContain('contradicts the product');
  });

  it('stock that runs short', async () => {
    const { locationId } = api;
    await api.sql`insert into product_stock (location_id, product_id, quantity)
      values (${locationId}, ${productId}, 1)`;
    await place();
    const short = 'items[0].quantity: insufficient stock, only 0 left';
    expect([await refused(), await refused()]).toEqual([short, short]);
    await api.sql('update product_stock set quantity = 2 where product_id = $1', [productId]);
    await place();
  });

  it('that everything was truncated', async () => {
    await api.sql('delete from subselection_items');
    expect(await refused()).toContain('unknown item of this product');
  });
});

it('an order that waited for stock is made at the price that was committed meanwhile', async () => {
  const { locationId } = api;
  await api.sql`insert into product_stock (location_id, product_id, quantity)
    values (${locationId}, ${productId}, 9)`;
  const holder = await beginIn(api.pool);
  await holder.query('select from product_stock where product_id = $1 for update', [productId]);
  const external_id = `waits-${productId}`;
  const waiting = postOrder(api, orderBody(kitchen(), { external_id, ...line() }));
  const held = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%place_order_batch%'
    and datname = current_database()`;
  await waitFor('the order to wait', async () => (await api.sql(held)).length === 1);
  await api.sql('update products set price = 9 where id = $1', [productId]);
  await holder.query('commit');
  expect(orderOf(await waiting).total).toBe(10);
  const rows = await api.sql`select count(*)::int as orders from orders where external_id = ${external_id}`;
  expect(rows).toEqual([{ orders: 1 }]);
});
