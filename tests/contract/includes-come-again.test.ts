import { appRouter, operationsOf } from '@comanda/api';
import { newId } from '@comanda/db';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { type Entry, idOf, readChangesOf } from '../support/changes.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { openPlace, type Place } from '../support/place.ts';

// Contract: an entry comes again when anything that it shows has changed. `include=books` showed what the opening and the
// closing of a turn change, and readers of changes never met it.

const api = useApi();

/** Every value of `include` of every list that can be read by what has changed. */
const includes = operationsOf(appRouter).flatMap(({ input, routes, listsChanges }) => {
  const { include }: Record<string, z.core.$ZodType> = input.shape;
  if (!listsChanges || include === undefined) return [];
  const list = routes.find(({ version }) => version === 'v2')?.path ?? '';
  const { items } = z.toJSONSchema(include, { io: 'input' });
  return z
    .object({ enum: z.array(z.string()) })
    .parse(items)
    .enum.map((value) => `${list} ${value}`);
});

/** A place with a product under a category, an order of it, and an open turn only where a write opens one. */
async function openShop() {
  const place = await openPlace(api);
  const category = await place.make.category();
  const product = await place.make.product({ categoryIds: [category], taxRate: 22, sku: 'TEA' });
  const { itemIds } = await place.make.subselection({ productId: product, items: [{ name: 'Milk' }] });
  const kitchen = { ...(await createOrderKitchen(place)), productId: product };
  const items = [{ product_id: product, quantity: 1, subselections: [{ item_id: itemIds[0], quantity: 1 }] }];
  const order = async () => {
    const { id, payment } = await placeOrder(place, kitchen, { items });
    return { order: id, payment: payment.id };
  };
  const repair = (text: string, ...values: unknown[]) =>
    underDeed(place.pool, 'repair: a test', text, [place.locationId, ...values]);
  return {
    ...place,
    client: place.client(),
    category,
    product,
    placeOrder: order,
    repair,
    ...(await order()),
  };
}
type Shop = Awaited<ReturnType<typeof openShop>>;
type Write = (shop: Shop) => Promise<unknown>;

const line =
  (column: string, value: string): Write =>
  ({ repair, order }) =>
    repair(`update order_items set ${column} = ${value} where location_id = $1 and order_id = $2`, order);
const choice = (name: string, value: string) =>
  line('selections', `jsonb_set(selections, '{0,${name}}', '${value}')`);
const ofOrder =
  (set: string): Write =>
  ({ repair, order }) =>
    repair(`update orders set ${set} where location_id = $1 and id = $2`, order);
const open: Write = ({ client }) => client.turns.open.mutate();
const close: Write = ({ client }) => client.turns.close.mutate();
const closeByHand: Write = ({ repair }) =>
  repair(`update turns set status = 'closed' where location_id = $1 and status = 'open'`);
const complete: Write = ({ client, payment }) => client.payments.complete.mutate({ id: payment });
const refund: Write = ({ client, payment }) =>
  client.payments.refund.mutate({
    id: payment,
    amount: 1,
    reason: 'Cold',
    person: 'Ana',
    idempotencyKey: newId(),
  });
const correct: Write = ({ repair, payment }) =>
  repair('update payments set amount = amount + 1 where location_id = $1 and id = $2', payment);
const placeAnother: Write = async (shop) => Object.assign(shop, await shop.placeOrder());
const ofAnOpenTurn: Write = async (shop) => {
  await open(shop);
  await placeAnother(shop);
};

/** A value of `include`: what else the query needs, its writes in their order, and the fields that no write changes. */
interface Shown {
  with?: string;
  writes: Record<string, Write>;
  fixed?: string[];
}

const shown: Record<string, Shown> = {
  '/v2/orders details': {
    writes: {
      'its texts by hand': ofOrder(
        "external_id = 'ERP-2', channel = 'app', identifier = 'Table 9', is_take_away = true, note = 'Later', guests = 9, promised_at = now()",
      ),
      'its adjustments': ofOrder(`adjustments = '[{"kind": "tip", "name": "T", "amount": 1, "total": 1}]'`),
      'its cancellation': ({ client, order }) => client.orders.cancel.mutate({ id: order, reason: 'Closed' }),
    },
    fixed: ['payment_method_id'],
  },
  '/v2/orders items': {
    writes: {
      'a line that is repaired': line(
        'comment',
        "'Hot', name = 'Chai', quantity = 2, unit_price = 3, total = 6",
      ),
      'another product': ({ repair, order, make }) =>
        make
          .product()
          .then((id) =>
            repair(
              'update order_items set product_id = $3 where location_id = $1 and order_id = $2',
              order,
              id,
            ),
          ),
      'a choice': choice('quantity', '3'),
      'another choice': choice('item_id', JSON.stringify(newId())),
    },
  },
  '/v2/orders customer': {
    writes: {
      'whom it is for': ofOrder(
        "customer_name = 'Ana', customer_phone = '1', customer_email = 'a@example.com', customer_tax_id = '2'",
      ),
      'where it goes': ofOrder(
        "delivery_lines = 'A', delivery_city = 'B', delivery_postal_code = 'C', delivery_country = 'UY', delivery_note = 'D'",
      ),
    },
  },
  '/v2/orders snapshot': {
    with: 'items',
    writes: {
      'a line that is repaired': line('external_id', "'ERP-TEA', sku = 'CHAI', tax_rate = 10"),
      'the name of a choice': choice('name', '"Oat"'),
      'the price of a choice': choice('price', '2'),
      'your identifier of a choice': choice('external_id', '"ERP-OAT"'),
    },
  },
  '/v2/orders tax': { with: 'items', writes: { 'a line that is repaired': line('tax_rate', '10') } },
  '/v2/orders revision': { writes: { 'its status': ofOrder("status = 'ready'") } },
  '/v2/orders books': {
    writes: {
      'an order in an open turn': ofAnOpenTurn,
      'its payment': complete,
      'the close of its turn': close,
      'a corrected amount': correct,
      'an order in the next turn': ofAnOpenTurn,
      'a close by hand': closeByHand,
    },
  },
  '/v2/orders payments': {
    writes: {
      'a payment that is rejected': ({ client, payment }) => client.payments.reject.mutate({ id: payment }),
      'another payment': async (shop) => {
        const { order: id, client } = shop;
        const payment_method_id = await shop.make.paymentMethod({ type: 'qr' });
        const added = await client.orders.addPayment.mutate({
          id,
          payment_method_id,
          idempotencyKey: newId(),
        });
        shop.payment = added.id;
      },
      'its completion': complete,
      'its refund': refund,
      'a corrected amount': correct,
    },
  },
  '/v2/payments books': {
    writes: {
      'its completion while no turn is open': complete,
      'a turn that opens': open,
      'a refund': refund,
      'the close of the turn': close,
      'a correction that waits': correct,
      'the next turn': open,
      'a close by hand': closeByHand,
    },
  },
  '/v2/products tax': {
    writes: {
      'its rate': ({ client, product }) => client.products.update.mutate({ id: product, tax_rate: 10 }),
    },
  },
  '/v2/products deleted': {
    writes: { 'its deletion': ({ client, product }) => client.products.delete.mutate({ id: product }) },
  },
  '/v2/categories deleted': {
    writes: { 'its deletion': ({ client, category }) => client.categories.delete.mutate({ id: category }) },
  },
};

/** The values of an entry by their paths; those of lists side by side. */
function pathsOf(entry: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(entry)) return entry.flatMap((each) => pathsOf(each, `${path}[]`));
  if (typeof entry !== 'object' || entry === null) return [[path, entry]];
  return Object.entries(entry).flatMap(([name, value]) =>
    pathsOf(value, path === '' ? name : `${path}.${name}`),
  );
}
const valuesAt = (entry: Entry | undefined, path: string) =>
  JSON.stringify(pathsOf(entry ?? {}).flatMap(([at, value]) => (at === path ? [value] : [])));

/** All entries of a list by their ids, as `query` shows them. */
async function read({ rest }: Pick<Place, 'rest'>, list: string, query = ''): Promise<Map<string, Entry>> {
  const { body } = await rest<{ data: Entry[] }>(`GET ${list}?limit=200${query}`);
  return new Map(body.data.map((entry) => [idOf(entry), entry]));
}

test('every include of a list of changes has its writes here', () => {
  expect(Object.keys(shown).sort()).toEqual([...includes].sort());
});

describe.each(includes)('an entry of %s', (which) => {
  const [list = '', include = ''] = which.split(' ');
  const { with: beside = '', writes, fixed = [] } = shown[which] ?? { writes: {} };
  const query = `include=${[beside, include].filter(Boolean).join()}`;
  it('comes again with each write that changes what it shows, and each field is changed by one', async () => {
    const shop = await openShop();
    const gone = include === 'deleted';
    const reader = readChangesOf(shop.rest, `${list}?${query}`);
    await reader.walk();
    const added = new Set<string>();
    const changed = new Set<string>();
    for (const [name, write] of Object.entries(writes)) {
      const before = await read(shop, list, gone ? '' : `&${query}`);
      await write(shop);
      const after = await read(shop, list, gone ? '' : `&${query}`);
      const plain = await read(shop, list, beside === '' ? '' : `&include=${beside}`);
      for (const [id, entry] of after)
        for (const [path] of pathsOf(entry)) if (valuesAt(plain.get(id), path) === '[]') added.add(path);
      const different = [...new Set([...before.keys(), ...after.keys()])].filter(
        (id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id)),
      );
      expect(different, name).not.toEqual([]);
      for (const id of different)
        for (const path of added)
          if (valuesAt(before.get(id), path) !== valuesAt(after.get(id), path)) changed.add(path);
      const met = await reader.walk();
      for (const id of different) expect(met, name).toContain(after.has(id) ? id : `-${id}`);
      for (const [id, entry] of after) expect(reader.view.get(id), name).toEqual(entry);
    }
    expect([...added].filter((path) => !changed.has(path)).sort()).toEqual(fixed);
  });
});

test('a turn that is settled is met page by page, each once, and nowhere but with books', async () => {
  const shop = await openShop();
  const paid: Record<'orders' | 'payments', string[]> = { orders: [shop.order], payments: [shop.payment] };
  // The first waits for the turn.
  await complete(shop);
  await open(shop);
  for (let n = 0; n < 4; n += 1) {
    await placeAnother(shop);
    await complete(shop);
    paid.orders.push(shop.order);
    paid.payments.push(shop.payment);
  }
  const lists = ['/v2/orders?limit=2&include=books', '/v2/payments?limit=2&include=books'];
  const readers = lists.map((path) => readChangesOf(shop.rest, path));
  const plain = ['/v2/orders?limit=2', '/v2/payments?limit=2'].map((path) => readChangesOf(shop.rest, path));
  const before = Promise.all(plain.map((each) => each.walk()));
  expect((await before).map((ids) => ids.length)).toEqual([5, 5]);
  expect((await Promise.all(readers.map((each) => each.walk()))).map(sorted)).toEqual([
    sorted(paid.orders),
    sorted(paid.payments),
  ]);
  const stamps = readers.map(({ view }) => [...view.values()].map(({ updated_at }) => updated_at));
  await close(shop);
  expect(await Promise.all(plain.map((each) => each.walk()))).toEqual([[], []]);
  expect((await Promise.all(readers.map((each) => each.walk()))).map(sorted)).toEqual([
    // The first order is of no turn.
    sorted(paid.orders.slice(1)),
    sorted(paid.payments),
  ]);
  expect(readers.map(({ view }) => [...view.values()].map(({ updated_at }) => updated_at))).toEqual(stamps);
  // From the start again, at the present state: as many as there are.
  for (const path of lists) {
    const again = readChangesOf(shop.rest, path);
    expect(await again.walk()).toHaveLength(5);
    expect(await again.walk()).toEqual([]);
  }
  const [row] = await api.sql<{ resources: string[] }>`
    select array_agg(distinct c.resource order by c.resource) as resources from internal.captured_changes c
    where c.location_id = ${shop.locationId} and c.xmin = (select s.xmin from settlements s where s.location_id = ${shop.locationId})`;
  expect(row?.resources).toEqual(['settlement', 'turn']);
});

const sorted = (ids: readonly string[]) => [...ids].sort();
