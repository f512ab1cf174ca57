import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { press } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();
const many = 130;

/** Every part of the desk: how its list gets more than a page, or why it has none. */
const parts: Record<string, (() => Promise<void>) | 'shows one restaurant' | 'shows all rows at once'> = {
  sales: 'shows all rows at once',
  'payment-methods': () =>
    fill(`insert into payment_methods (location_id, name, type)
     select $1, 'Method ' || n, 'other' from generate_series(1, ${many}) n`),
  orders: () =>
    createManyOrders(api.app.database, {
      locationId: api.locationId,
      count: many,
      from: new Date(Date.now() - 3_600_000).toISOString(),
    }),
  location: 'shows one restaurant',
  products: () =>
    fill(`insert into products (location_id, sku, name, price)
     select $1, 'P' || n, 'Product ' || n, 10 from generate_series(1, ${many}) n`),
  categories: () =>
    fill(`insert into categories (location_id, name, priority)
     select $1, 'Category ' || n, n from generate_series(1, ${many}) n`),
  async turns() {
    await api.sql(`do $$ begin for n in 1..${many} loop
      insert into turns (location_id, batch_number) values ('${api.locationId}', n);
      update turns set status = 'closed' where location_id = '${api.locationId}' and status = 'open';
    end loop; end $$`);
  },
  endpoints: () =>
    fill(`insert into webhook_endpoints (location_id, url, events, status)
     select $1, 'https://shop.example/' || n, '{order.created}', 'disabled' from generate_series(1, ${many}) n`),
  jobs: () =>
    fill(`insert into sync_jobs (location_id, status, total_items, error)
     select $1, 'failed', 1, 'no category ' || n from generate_series(1, ${many}) n`),
  keys: () =>
    fill(`insert into api_keys (location_id, name, prefix, key_hash, permissions)
     select $1, 'Till ' || n, 'cmd_live_till' || n, sha256(('till' || n)::bytea), '{orders:read}'
     from generate_series(1, ${many}) n`),
  async audit() {
    const id = await api.make.product({ name: 'Espresso' });
    await byHand('psql', many, `update products set description = 'Edit ' || n::text where id = '${id}'`);
  },
};

/** A list within a part, by the name of its query in the app: where it is, with `many` rows. */
interface Inner {
  path(): Promise<string>;
  /** Narrows the list there. */
  narrow?(page: AppPage): Promise<unknown>;
}

const one = async (sql: string): Promise<string> =>
  (await api.sql<{ id: string }>(sql, [api.locationId]))[0]?.id ?? '';
const inStatus = (value: string) => (page: AppPage) => page.select('.desk search select', value);

/** The lists within parts. `payments` are two, and `orders` and `audit` are also lists of parts. */
const inner: Record<string, Inner> = {
  attempts: {
    async path() {
      await api.published();
      await fill(`with delivery as (
          insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
          select $1, (select id from webhook_endpoints where location_id = $1 limit 1),
            (select id from events where location_id = $1 limit 1), 'dead', 1 from generate_series(1, ${many})
          returning id, endpoint_id, event_id
        )
        insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, response_code, duration_ms, attempted_at)
        select $1, id, endpoint_id, event_id, 'order.created', 1, 'failed', 503, 5, now() from delivery`);
      return `endpoints/${await one('select endpoint_id as id from webhook_attempts where location_id = $1 limit 1')}`;
    },
  },
  'settlement entries': {
    async path() {
      await fill(
        `insert into turns (location_id, batch_number) select $1, 1 + max(batch_number) from turns where location_id = $1`,
      );
      await fill(`update payments set status = 'completed' where location_id = $1 and status = 'pending'`);
      await fill(`update turns set status = 'closed' where location_id = $1 and status = 'open'`);
      return `turns/${await one(`select id from settlements where location_id = $1 and total_collected > 0`)}`;
    },
  },
  payments: {
    async path() {
      await fill(`update orders set status = 'canceled' where location_id = $1`);
      return 'orders';
    },
    narrow: inStatus('canceled_and_paid'),
  },
  'payments refunded': {
    async path() {
      await fill(`insert into settlement_entries (location_id, order_id, payment_id, kind, amount, reason)
        select location_id, order_id, id, 'refund', -1, 'cold' from payments where location_id = $1`);
      return 'orders';
    },
    narrow: inStatus('refunded'),
  },
  orders: {
    path: async () => 'orders',
    async narrow(page) {
      await page.type('#text', 'Flat White');
      await page.keyboard.press('Enter');
    },
  },
  audit: {
    path: async () =>
      `products/${await one(`select id from products where location_id = $1 and name = 'Espresso'`)}`,
  },
};

/** Where each list within a part is. */
const innerPaths = new Map<Inner, string>();

beforeAll(async () => {
  for (const filled of Object.values(parts)) if (typeof filled === 'function') await filled();
  for (const list of Object.values(inner)) innerPaths.set(list, await list.path());
}, 120_000);

async function fill(sql: string): Promise<void> {
  await api.sql(sql, [api.locationId]);
}

/** Edits by hand, `n` of them: as many entries. */
async function byHand(program: string, times: number, edit: string): Promise<void> {
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`set application_name = '${program}'`);
  await hand.sql(`do $$ begin for n in 1..${times} loop ${edit}; end loop; end $$`);
  await hand.close();
}

const rowsOf = (page: AppPage) => page.evaluate<number>(`document.querySelectorAll('.desk tbody tr').length`);

test('every part of the desk is looked at here', async () => {
  const page = await desk('orders');
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.desk nav a')].map((each) => new URL(each.href).pathname.split('/').at(-1))`,
  );
  expect(paths.toSorted()).toEqual(Object.keys(parts).toSorted());
});

test('every list of the desk that has pages is looked at here', () => {
  const folder = join(repositoryRoot, 'packages/app/src/desk');
  const queries = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/usePages\(\s*\['([^']+)'/g)].map(
      ([, name]) => name,
    ),
  );
  const ofParts = ['audit', 'categories', 'endpoints', 'jobs', 'keys', 'orders', 'payment methods'];
  const looked = new Set([...ofParts, 'products', 'settlements', ...Object.keys(inner)]);
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.filter((name) => name === undefined || !looked.has(name))).toEqual([]);
});

/** Presses for more until as many rows are there, or more. */
async function showsAtLeast(page: AppPage, rows: number): Promise<void> {
  await page.waitForSelector('.desk tbody tr');
  for (let shown = await rowsOf(page); shown < rows; shown = await rowsOf(page)) {
    await press(page, 'Show more');
    await expect.poll(() => rowsOf(page)).toBeGreaterThan(shown);
  }
  expect(await page.text()).not.toContain('This screen could not be shown');
  expect(page.complaints).toEqual([]);
}

test.each(Object.entries(inner))('the second page of %s, within a part, is shown', async (_, list) => {
  const page = await desk(innerPaths.get(list) ?? '');
  await list.narrow?.(page);
  await showsAtLeast(page, many);
  expect(await rowsOf(page)).toBe(many);
  expect(await page.text()).not.toContain('Show more');
});

test.each(Object.keys(parts).filter((part) => typeof parts[part] === 'function'))(
  'the list of %s went away with its second page',
  async (part) => {
    const page = await desk(part);
    await showsAtLeast(page, many);
  },
);

test('the audit went away when its filter was cleared', async () => {
  const id = await api.make.product({ name: 'Tea' });
  await byHand('eva', 3, `update products set description = 'Leaf ' || n::text where id = '${id}'`);
  const page = await desk('audit');
  await page.waitForSelector('.desk tbody tr');
  const before = await rowsOf(page);
  await page.type('.desk search input', 'eva');
  await expect.poll(() => rowsOf(page)).toBe(3);
  await page.evaluate(`document.querySelector('.desk search input').select()`);
  await page.keyboard.press('Backspace');
  await expect.poll(() => rowsOf(page)).toBe(before);
  expect(page.complaints).toEqual([]);
});
