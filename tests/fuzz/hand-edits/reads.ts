import type { Answer } from '../../support/api.ts';
import { operations, strictly } from '../../support/documented.ts';
import type { EditedGround } from './ground.ts';

const catalog = 'GET /v2/catalog';
const lists = {
  products: ['GET /v2/products?limit=200', 'GET /v1/products?limit=200', catalog],
  stock: ['GET /v2/stock?limit=200', 'GET /v2/products?limit=200', catalog],
  categories: ['GET /v2/categories?limit=200', 'GET /v2/products?limit=200', catalog],
  orders: [
    'GET /v2/orders?limit=200',
    'GET /v1/orders?limit=200',
    'GET /v2/orders?updated_since=2020-01-01T00:00:00Z',
    'GET /v2/turns?limit=200',
    'GET /v2/payments?limit=200',
  ],
  turns: ['GET /v2/turns?limit=200', 'GET /v2/turns/current', 'GET /v2/settlements?limit=200'],
  webhooks: ['GET /v2/webhook-endpoints?limit=200', 'GET /v1/webhooks?limit=200'],
} as const;

/** The routes that show a table; {column} is replaced by a column of the rows that were written last. */
const shownBy: Readonly<Record<string, { lists: readonly string[]; ofRows?: readonly string[] }>> = {
  locations: {
    lists: ['GET /v2/locations/current', catalog, 'GET /v2/orders?limit=5', 'GET /v2/turns?limit=5'],
  },
  'internal.time_zones': { lists: ['GET /v2/locations/current', catalog] },
  api_keys: { lists: ['GET /trpc/keys.list?input=%7B%22limit%22%3A200%7D', 'GET /v2/limits'] },
  categories: { lists: lists.categories, ofRows: ['GET /v2/categories/{id}'] },
  products: { lists: [...lists.products, 'GET /v2/stock?limit=200'], ofRows: ['GET /v2/products/{id}'] },
  product_categories: { lists: lists.categories, ofRows: ['GET /v2/products/{product_id}'] },
  product_stock: { lists: lists.stock, ofRows: ['GET /v1/products/{product_id}/stock'] },
  subselections: { lists: [catalog] },
  subselection_items: { lists: [catalog] },
  menus: { lists: ['GET /v2/menus/active'] },
  menu_categories: { lists: ['GET /v2/menus/active'] },
  sync_jobs: { lists: ['GET /v2/sync/jobs?limit=200'], ofRows: ['GET /v2/sync/jobs/{id}'] },
  price_changes: { lists: ['GET /v2/price-changes?limit=200'], ofRows: ['GET /v2/price-changes/{id}'] },
  payment_methods: { lists: ['GET /v2/payment-methods?limit=200', 'GET /v2/payments?limit=200'] },
  turns: { lists: lists.turns, ofRows: ['GET /v2/turns/{id}'] },
  settlements: { lists: lists.turns, ofRows: ['GET /v2/settlements/{id}'] },
  orders: {
    lists: lists.orders,
    ofRows: ['GET /v2/orders/{id}', 'GET /v1/orders/{id}', 'GET /v2/orders/{id}/timeline'],
  },
  order_items: { lists: lists.orders, ofRows: ['GET /v2/orders/{order_id}'] },
  'internal.order_moves': { lists: [], ofRows: ['GET /v2/orders/{order_id}/timeline'] },
  payments: { lists: lists.orders, ofRows: ['GET /v2/payments/{id}', 'GET /v2/orders/{order_id}'] },
  events: { lists: ['GET /v2/events?limit=200'] },
  webhook_endpoints: {
    lists: lists.webhooks,
    ofRows: ['GET /v2/webhook-endpoints/{id}', 'GET /v2/webhook-endpoints/{id}/deliveries'],
  },
  'internal.webhook_secrets': { lists: lists.webhooks },
  webhook_deliveries: {
    lists: lists.webhooks,
    ofRows: ['GET /v2/webhook-endpoints/{endpoint_id}/deliveries'],
  },
  webhook_attempts: { lists: lists.webhooks, ofRows: ['GET /v2/webhook-endpoints/{endpoint_id}/deliveries'] },
};

/** Where nothing may be there: nothing is open, nothing is published. */
const maybeAbsent = ['GET /v2/turns/current', 'GET /v2/menus/active'];

/** Reads what shows the tables; `rows` of each that were written last. */
export async function readTables(ground: EditedGround, tables: Iterable<string>, rows = 2): Promise<void> {
  const routes = new Set<string>();
  for (const table of tables) {
    const { lists, ofRows = [] } = shownBy[table] ?? {
      lists: Object.values(shownBy).flatMap((shown) => shown.lists),
    };
    for (const route of lists) routes.add(route);
    for (const route of ofRows)
      for (const filled of await fill(ground, table, route, rows)) routes.add(filled);
  }
  const all = [...routes];
  const read = async (route: string) => {
    const answer = await ground.call(route, undefined, 200, ...(maybeAbsent.includes(route) ? [404] : []));
    if (route.startsWith('GET /trpc/')) requireNamed(route, answer);
  };
  while (all.length > 0) await Promise.all(all.splice(0, 8).map(read));
}

/** Reads everything. */
export async function readAll(ground: EditedGround): Promise<void> {
  await readTables(ground, Object.keys(shownBy), 6);
  await readTables(ground, ['anything else']);
  const today = new Date().toISOString().slice(0, 10);
  for (const group of ['day', 'product', 'category', 'payment_method'])
    await ground.call(
      `GET /v2/sales-reports?from=2019-01-01&to=${today}&group_by=${group}`,
      undefined,
      200,
      422,
    );
  await ground.call(`GET /v2/orders/export?from=2019-01-01&to=${today}&limit=500`, undefined, 200);
}

async function fill(ground: EditedGround, table: string, route: string, rows: number): Promise<string[]> {
  const column = /\{(\w+)\}/.exec(route)?.[1] ?? 'id';
  const found = await ground.sql<Record<string, string>>(
    `select ${column} from ${table} where location_id = $1 order by age(xmin), ${column} desc limit ${rows}`,
  );
  return found.map((row) => route.replace(`{${column}}`, row[column] ?? ''));
}

/** Holds an answer of the named entrance against its schema; those of REST are held against theirs where they are called. */
function requireNamed(route: string, { body }: Answer): void {
  const name = /trpc\/([\w.]+)/.exec(route)?.[1];
  const operation = operations.find((known) => known.name === name);
  if (operation === undefined) throw new Error(`${route}: there is no such operation`);
  strictly(operation.output).parse((body as { result?: { data?: unknown } }).result?.data);
}
