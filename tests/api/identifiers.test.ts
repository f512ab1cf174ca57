import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';

const api = usePublishingApi();
const kitchen = useOrderKitchen(api);

// The same word, composed and with a separate accent.
const [one, other] = ['CAFÉ', 'CAFE\u0301'];

const product = (external_id: string, sku: string) => ({
  external_id,
  sku,
  name: 'Coffee',
  description: '',
  price: 1,
});
/** The answer without its envelope. */
const call = async (route: string, body?: object) => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const { status, body: answered } = await api.rest(route, body === undefined ? {} : { body, headers });
  return { status, body: (answered.data ?? answered) as Record<string, unknown> };
};
const post = (path: string, body: object) => call(`POST ${path}`, body);
const dryRun = async (items: object[]) => {
  const { body } = await post('/v2/sync/products', { items, dry_run: true });
  return body as { changes: { id?: string }[]; errors: { message: string }[] };
};
const sync = (categories: object[]) => post('/v2/catalog/sync', { categories });

it('two spellings of an identifier that differ in normalization alone are one on every path', async () => {
  const created = await post('/v2/products', product(`${one}-1`, `${one}-s`));
  expect([created.status, created.body.external_id, created.body.sku]).toEqual([201, `${one}-1`, `${one}-s`]);
  const { id } = created.body;
  for (const [family, external_id, sku, taken] of [
    ['v1', `${other}-1`, 'free', 'external_id'],
    ['v2', `${other}-1`, 'free', 'external_id'],
    ['v2', 'free', `${other}-s`, 'sku'],
  ] as const) {
    const { status, body } = await post(`/${family}/products`, product(external_id, sku));
    expect([status, (body.error as { message: string }).message]).toEqual([
      409,
      `${taken} ${taken === 'sku' ? sku : external_id} is taken by product ${id}.`,
    ]);
  }
  const path = `/v2/products/by-external-id/${encodeURIComponent(`${other}-1`)}`;
  expect((await call(`GET ${path}`)).body).toMatchObject({ id, external_id: `${one}-1` });
  for (const filter of [
    `external_id=${encodeURIComponent(`${other}-1`)}`,
    `sku=${encodeURIComponent(`${other}-s`)}`,
  ])
    expect((await api.rest(`GET /v2/products?${filter}`)).body).toMatchObject({ pagination: { total: 1 } });
  const { changes } = await dryRun([
    { external_id: `${other}-1`, sku: `${other}-s`, name: 'Coffee', price: 1 },
  ]);
  expect(changes).toMatchObject([{ id, action: 'unchanged' }]);
  const twice = await dryRun([
    { external_id: `${one}-new`, name: 'Coffee', price: 1 },
    { external_id: `${other}-new`, name: 'Coffee', price: 1 },
  ]);
  expect(twice.errors).toMatchObject([
    { index: 1, message: 'external_id: is the same as items[0].external_id' },
  ]);
  const stock = await post('/v2/stock/sync', { items: [{ sku: `${other}-s`, quantity: 3 }] });
  expect(stock.body).toMatchObject({ success_items: 1 });
  await expect(
    api.sql`insert into products (location_id, external_id, sku, name, price) values (${api.locationId}, ${`${other}-1`}, 'hand', 'By hand', 1)`,
  ).rejects.toThrow('products_external_id_form_idx');
});

it('a catalog sync matches every level in another normalization form, and refuses what it names twice', async () => {
  const tree = (word: string) => [
    {
      external_id: `${word}-c`,
      name: 'Coffee',
      products: [
        {
          external_id: `${word}-p`,
          sku: `${word}-ps`,
          name: 'Coffee',
          price: 1,
          subselections: [
            {
              external_id: `${word}-t`,
              name: 'Milk',
              min_selection: 0,
              max_selection: 1,
              items: [{ external_id: `${word}-i`, name: 'Oat', price: 0 }],
            },
          ],
        },
      ],
    },
  ];
  expect((await sync(tree(one))).body).toMatchObject({ created: 4 });
  expect((await sync(tree(other))).body).toMatchObject({ created: 0, unchanged: 4 });
  const repeated = await sync([
    { external_id: `${one}-n`, name: 'New' },
    { external_id: `${other}-n`, name: 'New' },
  ]);
  expect([repeated.status, JSON.stringify(repeated.body)]).toEqual([
    422,
    expect.stringContaining('categories[1].external_id: is the same as categories[0].external_id'),
  ]);
  const category = await post('/v2/categories', {
    external_id: `${other}-c`,
    name: 'C',
    priority: 1,
    visible: true,
  });
  expect(category.status).toBe(409);
});

it('an order is found and refused by its external_id in another normalization form, and is taken as sent', async () => {
  const order = await kitchen.place({ external_id: `${one}-o ` });
  expect(order.external_id).toBe(`${one}-o `);
  await expect(kitchen.place({ external_id: `${other}-o ` })).rejects.toThrow(
    `is taken by order ${order.id}`,
  );
  const { id } = await api.client().orders.getByExternalId.query({ external_id: `${other}-o ` });
  expect(id).toBe(order.id);
  // A Kelvin sign is the letter K.
  const kelvin = await kitchen.place({ external_id: '1 \u212A' });
  await expect(kitchen.place({ external_id: '1 K' })).rejects.toThrow(`is taken by order ${kelvin.id}`);
});

it('a new row has no identifier with a blank at an end; one that is there goes on to match', async () => {
  const refused = 'must not begin or end with a blank';
  const answers = [
    await post('/v1/products', product('G ', 'g')),
    await post('/v2/products', product('g', '\u00A0G')),
    await post('/v2/categories', { external_id: ' C', name: 'C', priority: 1, visible: true }),
    await sync([{ external_id: 'C ', name: 'C' }]),
    await sync([{ external_id: 'c', name: 'C', products: [{ external_id: 'p ', name: 'P', price: 1 }] }]),
  ];
  for (const { status, body } of answers)
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(refused)]);
  const item = { external_id: 'OLD ', name: 'Old', price: 2 };
  expect((await dryRun([item])).errors).toMatchObject([{ message: `external_id: ${refused}` }]);
  const id = await api.make.product({ externalId: 'OLD ', sku: 'OLD ' });
  expect((await dryRun([item])).changes).toMatchObject([{ id, action: 'updated' }]);
  const kept = await sync([
    { external_id: 'c', name: 'C', products: [{ external_id: 'OLD ', sku: 'OLD ', name: 'Old', price: 2 }] },
  ]);
  expect(kept.status).toBe(200);
});
