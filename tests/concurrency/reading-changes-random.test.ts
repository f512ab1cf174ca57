import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { expectComplete, type Reader, readChangesOf } from '../support/changes.ts';
import { createCategory, createKey, createProduct } from '../support/factories.ts';
import { trials } from '../support/trials.ts';
import { useTwoServers } from './two-servers.ts';

/** Operations of all writers together. */
const operations = trials(200, 2_000);
const writers = { api: 4, byHand: 3 };

const service = useTwoServers();
let key: string;
let products: string[];
let categories: string[];
let turn = 0;
let left = operations;
const hands: pg.Client[] = [];

beforeAll(async () => {
  const { database, locationId } = service;
  ({ key } = await createKey(database, { locationId, batchJobsPerHour: 100_000 }));
  categories = await Promise.all(
    ['A', 'B', 'C'].map((name) => createCategory(database, { locationId, name })),
  );
  products = [];
  for (let n = 0; n < 40; n += 1)
    products.push(
      await createProduct(database, {
        locationId,
        name: `P${n}`,
        ...(n % 4 > 0 && { stock: { quantity: 1_000 } }),
      }),
    );
  for (let n = 0; n < writers.byHand; n += 1) {
    const client = new pg.Client({
      connectionString: database.pool.options.connectionString,
      lock_timeout: 2_000,
    });
    hands.push(client);
    await client.connect();
    await client.query('create temp table hands_keep as select * from products limit 0');
  }
});
afterAll(async () => {
  await Promise.all(hands.map((client) => client.end()));
});

const below = (limit: number) => Math.floor(Math.random() * limit);
const any = <Item>(items: readonly Item[]): Item => {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
};
const call = (route: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(turn++, route, { key, headers, ...(body !== undefined && { body }) });
/** Manual edits hold locks that make readers wait: a reader is asked to retry, and does. */
async function get(route: string): Promise<Answer> {
  for (;;) {
    const answer = await call(route);
    if (answer.status !== 503) return answer;
    await sleep(100);
  }
}

async function anyOrder(): Promise<{ id: string; payment: { id: string } } | undefined> {
  const { body } = await get('GET /v2/orders?limit=20');
  const { data } = body as { data: { id: string; payment: { id: string } }[] };
  return data.length === 0 ? undefined : any(data);
}

const byApi: (() => Promise<unknown>)[] = [
  () =>
    call(
      'POST /v2/orders',
      {
        external_id: randomUUID(),
        is_take_away: true,
        identifier: '',
        items: [...new Set([any(products), any(products)])].map((product_id) => ({
          product_id,
          quantity: 1,
        })),
        payment_method_id: service.paymentMethodId,
      },
      { 'idempotency-key': randomUUID() },
    ),
  async () => {
    const order = await anyOrder();
    if (order)
      await call(`PATCH /v2/orders/${order.id}/status`, { status: any(['ready', 'closed', 'canceled']) });
  },
  () => {
    const items = [...new Set(Array.from({ length: 15 }, () => any(products)))];
    return call('POST /v2/stock/sync', {
      items: items.map((product_id) => ({ product_id, quantity: 500 + below(500) })),
    });
  },
  () => call(`PATCH /v2/products/${any(products)}`, { price: below(100), name: `P${below(9)}` }),
  () =>
    call(`PATCH /v2/products/${any(products)}`, { category_ids: categories.filter(() => below(2) === 0) }),
  () => call(`PATCH /v2/categories/${any(categories)}`, { name: `C${below(9)}` }),
  () =>
    call('POST /v2/products', {
      name: 'Fleeting',
      description: '',
      price: 1,
      category_ids: [any(categories)],
    }),
  () => call('POST /v2/categories', { name: 'Fleeting', priority: 1, visible: true }),
  async () => {
    const { body } = await get('GET /v2/products?search=Fleeting&limit=1');
    for (const { id } of body.data as { id: string }[]) await call(`DELETE /v2/products/${id}`);
  },
];

// $1 the location, $2 any product; each is run alone, so that psql does it in any order.
const statements = [
  'update product_stock set quantity = quantity + 1 where location_id = $1 and product_id = $2',
  `update products set name = name || '.' where location_id = $1 and id = $2`,
  'update products set price = price + 1 where location_id = $1 and id > $2',
  'delete from product_stock where location_id = $1 and product_id = $2',
  `insert into product_stock (location_id, product_id, quantity, updated_at) values ($1, $2, 100, '2001-01-01') on conflict do nothing`,
  'insert into product_categories select $1, $2, id from categories where location_id = $1 limit 1 on conflict do nothing',
  'delete from product_categories where location_id = $1 and product_id = $2',
  `insert into products (location_id, sku, name, price) select $1, uuid_v7(), 'Fleeting', 1 where $2::uuid is not null`,
  `delete from products where location_id = $1 and $2::uuid is not null
   and id in (select id from products where location_id = $1 and name = 'Fleeting' order by random() limit 3)`,
  `delete from categories where location_id = $1 and $2::uuid is not null
   and id = (select id from categories where location_id = $1 and name = 'Fleeting' order by random() limit 1)`,
  `with gone as (delete from products where location_id = $1 and $2::uuid is not null
     and id = (select id from products where location_id = $1 and name = 'Fleeting' order by random() limit 1) returning *)
   insert into hands_keep select * from gone`,
  `with back as (delete from hands_keep where location_id = $1 and $2::uuid is not null returning *)
   insert into products select * from back on conflict do nothing`,
  `update orders set identifier = identifier || '!' where location_id = $1 and $2::uuid is not null`,
  `update payments set status = 'completed' where location_id = $1 and $2::uuid is not null and status = 'pending'
   and id = (select id from payments where location_id = $1 and status = 'pending' order by random() limit 1)`,
  `update orders set status = 'canceled' where location_id = $1 and $2::uuid is not null
   and id = (select id from orders where location_id = $1 and status = 'pending' order by random() limit 1)`,
];

async function workByHand(client: pg.Client): Promise<void> {
  const run = () => client.query(any(statements), [service.locationId, any(products)]);
  try {
    await client.query('begin');
    for (let n = below(3); n >= 0; n -= 1) {
      await client.query('savepoint here');
      await run();
      if (below(3) === 0) await client.query('rollback to here');
      // Held open while others write and readers walk.
      await sleep(below(150));
    }
    await client.query(below(4) === 0 ? 'rollback' : 'commit');
  } catch {
    // Hands deadlock and wait too long: then nothing was changed.
    await client.query('rollback');
  }
}

async function write(work: () => Promise<unknown>): Promise<void> {
  while (left-- > 0) await work();
}

test(
  'every write, by any writer and however late it commits, reaches each reader of each list',
  async () => {
    const paths = [
      '/v2/stock?',
      '/v2/products?',
      '/v2/orders?',
      '/v2/products?include=deleted&',
      '/v2/categories?include=deleted&',
    ];
    const readers = paths.flatMap((path) =>
      [3, 200].map((limit): [string, Reader] => [path, readChangesOf(get, `${path}limit=${limit}`)]),
    );
    let writing = true;
    let walks = 0;
    const read = async ([, reader]: (typeof readers)[number]) => {
      while (writing) {
        await reader.walk();
        walks += 1;
        await sleep(below(40));
      }
    };
    const written = Promise.all([
      ...Array.from({ length: writers.api }, () => write(() => any(byApi)())),
      ...hands.map((client) => write(() => workByHand(client))),
    ]).finally(() => {
      writing = false;
    });
    await Promise.all([written, ...readers.map(read)]);
    for (const [path, reader] of readers) {
      await reader.walk();
      await expectComplete(get, path, reader);
    }
    console.info(
      `${operations} operations during ${walks} walks of ${readers.length} readers: nothing was missed`,
    );
    expect(walks).toBeGreaterThan(readers.length);
  },
  trials(120_000, 900_000),
);
