import { category, item, product, subselection } from '../../api/catalog-bodies.ts';
import { type Ground, jobIsDone } from './ground.ts';

interface Named {
  id: string;
}

/** Something of the location's, or undefined when there is nothing. */
async function anyOf(
  ground: Ground,
  table: 'products' | 'categories' | 'orders',
): Promise<string | undefined> {
  const order = { products: 'sku', categories: 'name, priority', orders: 'number desc' }[table];
  const rows = await ground.sql<Named>(
    `select id from ${table} where location_id = $1 order by ${order} limit 40`,
  );
  return rows.length === 0 ? undefined : ground.chance.pick(rows).id;
}

async function placeOrder(ground: Ground): Promise<void> {
  const { chance } = ground;
  const ids = [await anyOf(ground, 'products'), await anyOf(ground, 'products')];
  const items = ids.flatMap((id) =>
    id === undefined ? [] : [{ product_id: id, quantity: chance.between(1, 3) }],
  );
  if (items.length === 0) return;
  const body = { is_take_away: chance.percent(50), payment_method_id: ground.paymentMethodId, items };
  const v1 = chance.percent(40);
  await ground.call(
    `POST /${v1 ? 'v1' : 'v2'}/orders`,
    { ...body, identifier: 'Table', ...(v1 ? {} : { external_id: `o-${ground.next()}` }) },
    ...[201, 422, 409, 503],
  );
}

async function moveOrder(ground: Ground): Promise<void> {
  const id = await anyOf(ground, 'orders');
  if (id === undefined) return;
  if (ground.chance.percent(25)) await ground.call(`POST /v2/orders/${id}/cancel`, {}, 200, 404, 409);
  else {
    const status = ground.chance.pick(['ready', 'closed']);
    await ground.call(`PATCH /v2/orders/${id}/status`, { status }, 200, 404, 409);
  }
}

async function createProduct(ground: Ground): Promise<void> {
  const { chance } = ground;
  const categoryId = await anyOf(ground, 'categories');
  const n = chance.between(0, 30);
  await ground.call(
    'POST /v2/products',
    {
      external_id: `p${n}`,
      sku: `rest-${n}`,
      name: `Made "${n}"`,
      description: '',
      price: n / 2,
      ...(categoryId !== undefined && { category_ids: [categoryId] }),
      ...(chance.percent(60) && { stock: { enabled: true, quantity: n, min_stock_alarm: 1 } }),
    },
    ...[201, 409, 422],
  );
}

async function changeProduct(ground: Ground): Promise<void> {
  const { chance } = ground;
  const [id, categoryId] = [await anyOf(ground, 'products'), await anyOf(ground, 'categories')];
  if (id === undefined) return;
  if (chance.percent(15)) await ground.call(`DELETE /v2/products/${id}`, undefined, 200, 404);
  else
    await ground.call(
      `PATCH /v2/products/${id}`,
      chance.pick([
        { price: chance.between(1, 50), visible: chance.percent(60) },
        { name: `Changed ${chance.between(0, 9)}` },
        { category_ids: categoryId === undefined ? [] : [categoryId] },
        { stock: { enabled: chance.percent(80), quantity: chance.between(0, 60), min_stock_alarm: 0 } },
      ]),
      ...[200, 404, 409, 422],
    );
}

async function changeCategory(ground: Ground): Promise<void> {
  const { chance } = ground;
  const n = chance.between(0, 8);
  const body = {
    external_id: `c${n}`,
    name: `Cat ${chance.between(0, 9)}`,
    priority: chance.between(-2, 2),
    visible: true,
  };
  const id = await anyOf(ground, 'categories');
  if (id === undefined || chance.percent(40)) await ground.call('POST /v2/categories', body, 201, 409);
  else {
    const { name, priority } = body;
    await ground.call(`PATCH /v2/categories/${id}`, { name, priority }, 200, 404);
  }
}

async function syncCatalog(ground: Ground): Promise<void> {
  const { chance } = ground;
  // A product that is in two categories must be the same in both.
  const fields = Array.from({ length: 12 }, (_, n) =>
    product(`p${n}`, {
      name: `Synced ${chance.between(0, 5)}`,
      price: chance.between(0, 40) / 4,
      ...(chance.percent(50) && { stock: { enabled: true, quantity: chance.between(0, 80) } }),
      ...(chance.percent(40) && {
        subselections: [subselection('s', [item('i'), item('j', { price: chance.between(0, 9) })])],
      }),
    }),
  );
  const categories = [0, 1, 2, 3].flatMap((n) =>
    chance.percent(60)
      ? [
          category(
            `c${n}`,
            fields.filter(() => chance.percent(30)),
            { name: `Cat ${chance.between(0, 4)}` },
          ),
        ]
      : [],
  );
  if (categories.length === 0) return;
  const mode = chance.percent(20) ? 'replace' : 'upsert';
  await ground.call('POST /v2/catalog/sync', { mode, categories }, 200, 409, 422);
}

async function syncStock(ground: Ground): Promise<void> {
  const { chance } = ground;
  const items = Array.from({ length: 20 }, (_, n) => n).flatMap((n) =>
    chance.percent(30) ? [{ external_id: `p${n}`, quantity: chance.between(0, 5_000) / 8 }] : [],
  );
  if (items.length > 0) await ground.call('POST /v2/stock/sync', { items }, 200);
}

async function syncProducts(ground: Ground): Promise<void> {
  const { chance } = ground;
  const items = Array.from({ length: 20 }, (_, n) => n).flatMap((n) =>
    chance.percent(25)
      ? [
          {
            external_id: `p${n}`,
            name: `Job ${chance.between(0, 9)}`,
            price: chance.between(0, 90) / 2,
            ...(chance.percent(40) && { category_external_ids: [`c${chance.between(0, 4)}`] }),
            ...(chance.percent(40) && {
              stock: { enabled: chance.percent(70), quantity: chance.between(0, 99), min_stock_alarm: 2 },
            }),
          },
        ]
      : [],
  );
  if (items.length === 0) return;
  const mode = chance.pick(['upsert', 'upsert', 'create', 'update']);
  const { body } = await ground.call('POST /v2/sync/products', { mode, items }, 202);
  await jobIsDone(ground, (body as { data: { job_id: string } }).data.job_id);
}

/** The calls of callers, one at a time. */
export const calls = [
  placeOrder,
  placeOrder,
  moveOrder,
  createProduct,
  changeProduct,
  changeProduct,
  changeCategory,
];

/** Their calls in bulk. */
export const batches = [syncCatalog, syncStock, syncProducts];
