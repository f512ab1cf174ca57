import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../support/api.ts';
import { createPaymentMethod, createProduct, createSubselection } from '../support/factories.ts';
import { orderBody, orderOf, refusalOf } from '../support/orders.ts';
import { atLocks } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';
import { statuses, useTwoServers } from './two-servers.ts';

// Finding 5: an order that waited for stock was made of rows that had been deleted before it took the stock.

const two = useTwoServers();

/** The parts of one order: a product with stock, a choice of it, and a way to pay. */
interface Offer {
  productId: string;
  otherProductId: string;
  subselectionId: string;
  itemId: string;
  paymentMethodId: string;
}

async function offer(): Promise<Offer> {
  const { database, locationId } = two;
  const productId = await createProduct(database, { locationId, price: 5, stock: { quantity: 100 } });
  const choice = { locationId, productId, maxSelection: 3, single: false, items: [{ price: 1, max: 3 }] };
  const { id, itemIds } = await createSubselection(database, choice);
  return {
    productId,
    otherProductId: await createProduct(database, { locationId }),
    subselectionId: id,
    itemId: itemIds[0] ?? '',
    paymentMethodId: await createPaymentMethod(database, { locationId }),
  };
}

const bodyOf = ({ productId, itemId, paymentMethodId }: Offer) => {
  const subselections = [{ item_id: itemId, quantity: 2 }];
  const items = [{ product_id: productId, external_product_id: 'SKU-1', quantity: 1, subselections }];
  return orderBody({ productId, paymentMethodId }, { items });
};

/** The changes committed while the order waits, by the parameters below, and the result of the order. */
const changes: [change: string, sql: string, expected: string | number][] = [
  ['another price of the product', 'update products set price = 9 where id = $1', 11],
  ['another price of the item', 'update subselection_items set price = 3 where id = $4', 11],
  [
    'a smaller max of the item',
    'update subselection_items set max = 1 where id = $4',
    'must be 0 to 1 in all',
  ],
  [
    'a larger min of the item',
    'update subselection_items set min = 3 where id = $4',
    'must be 3 to 3 in all',
  ],
  [
    'a smaller maximum of the choice',
    'update subselections set max_selection = 1 where id = $3',
    'allows at most 1, got 2',
  ],
  [
    'a larger minimum of the choice',
    'update subselections set min_selection = 3 where id = $3',
    'needs at least 3, got 2',
  ],
  [
    'a choice that is required from now on',
    `insert into subselections (location_id, product_id, name, min_selection)
       select location_id, id, 'Milk', 1 from products where id = $1`,
    '"Milk" needs at least 1, got 0',
  ],
  [
    'a choice that moved to another product',
    'update subselections set product_id = $2 where id = $3',
    'unknown item of this product',
  ],
  [
    'an item that moved to another choice',
    `with moved as (insert into subselections (location_id, product_id, name)
       select location_id, $2::uuid, 'Sizes' from products where id = $1 returning id)
     update subselection_items i set subselection_id = moved.id from moved where i.id = $4`,
    'unknown item of this product',
  ],
  ['a deleted item', 'delete from subselection_items where id = $4', 'unknown item of this product'],
  ['a deleted product', 'delete from products where id = $1', 'unknown product'],
  [
    'another external_id',
    `update products set external_id = 'SKU-2' where id = $1`,
    'contradicts the product',
  ],
  ['a disabled payment method', 'update payment_methods set enabled = false where id = $5', 'is disabled'],
];

describe('what was committed while an order waited for its stock decides it', { timeout: 60_000 }, () => {
  it.each(changes)('%s', async (_, sql, expected) => {
    const made = await offer();
    const ids = [made.productId, made.otherProductId, made.subselectionId, made.itemId, made.paymentMethodId];
    const used = ids.map((id, index) => (sql.includes(`$${index + 1}`) ? `'${id}'` : ''));
    const holder = await two.database.pool.connect();
    onTestFinished(() => holder.release());
    await holder.query('begin');
    await holder.query('update product_stock set quantity = 50 where product_id = $1', [made.productId]);
    const answers = Promise.all([0, 1].map((turn) => two.order(turn, randomUUID(), bodyOf(made))));
    await waitFor('both orders to wait', async () => (await waitingOrders()) === 2, { intervalMs: 5 });
    await holder.query(sql.replaceAll(/\$(\d)/g, (_, n) => used[Number(n) - 1] ?? ''));
    await holder.query('commit');
    for (const answer of await answers) expect(outcomeOf(answer)).toEqual(matching(expected));
    await expectTaken(made, typeof expected === 'number' ? 2 : 0);
  });

  it('that others take of the same stock, also of a chosen item, makes no order start again', async () => {
    const made = await offer();
    await two.sql`
      update subselection_items set stock_enabled = true, stock_quantity = 60 where id = ${made.itemId}`;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => two.order(turn, randomUUID(), bodyOf(made))),
    );
    expect(statuses(answers)).toEqual({ 201: 30 });
    const rows = await two.sql`
      select stock_quantity::int as left from subselection_items where id = ${made.itemId}`;
    expect(rows).toEqual([{ left: 0 }]);
  });

  it('by the API alone: what is sold from the stock of a catalog sync is sold at its prices', async () => {
    const sku = (index: number) => `${run}-${index}`;
    const run = randomUUID();
    const sync = (price: number, quantity: number) => ({
      categories: [
        {
          external_id: run,
          name: 'Synced',
          products: Array.from({ length: 100 }, (_, index) => ({
            external_id: sku(index),
            sku: sku(index),
            name: `Product ${index}`,
            price,
            stock: { enabled: true, quantity },
          })),
        },
      ],
    });
    const { status, text } = await two.call(0, 'POST /v2/catalog/sync', { body: sync(10, 1) });
    expect(status, text).toBe(200);
    const rows = await two.sql<{ id: string }>`
      select id from products where external_id = any (${Array.from({ length: 100 }, (_, index) => sku(index))})`;
    const paymentMethodId = two.paymentMethodId;
    // Of the old stock there is one each: of several that are sold of a product, one at most is sold at the old price.
    let synced = false;
    const syncing = two.call(1, 'POST /v2/catalog/sync', { body: sync(20, 1_000) }).finally(() => {
      synced = true;
    });
    const sold: Answer[] = [];
    for (let at = 0; !synced; at = (at + 7) % rows.length) {
      const productId = rows[at]?.id ?? '';
      const four = [0, 1, 2, 3].map((turn) =>
        two.order(turn, randomUUID(), orderBody({ productId, paymentMethodId })),
      );
      sold.push(...(await Promise.all(four)));
    }
    expect((await syncing).status).toBe(200);
    const old = new Map<string, number>();
    for (const answer of sold.filter(({ status }) => status === 201)) {
      const [line] = orderOf(answer).items;
      if (line?.unit_price === 10) old.set(line.product_id, (old.get(line.product_id) ?? 0) + 1);
    }
    expect([...old.values()].filter((count) => count > 1)).toEqual([]);
  });
});

const matching = (expected: string | number) =>
  typeof expected === 'number' ? expected : expect.stringContaining(expected);

/** The total of a created order, or the message of a refusal. */
const outcomeOf = (answer: Answer): string | number =>
  answer.status === 201 ? orderOf(answer).total : refusalOf(answer).message;

async function expectTaken({ productId }: Offer, taken: number): Promise<void> {
  const rows = await two.sql<{ left: number }>`
    select quantity::int as left from product_stock where product_id = ${productId}`;
  for (const { left } of rows) expect(left).toBe(50 - taken);
}

const waitingOrders = () => atLocks(two.sql, '%place_order_batch%');
