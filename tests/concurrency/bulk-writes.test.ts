import { expect, onTestFinished, test } from 'vitest';
import { category, item, product, subselection } from '../api/catalog-bodies.ts';
import type { Answer } from '../support/api.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { prismaOf } from '../support/prisma.ts';
import { seedOf, trials } from '../support/trials.ts';
import { type BulkShop, openBulkShop } from './bulk-shop.ts';
import { statuses } from './two-servers.ts';

// A call that waits for too long on a busy machine is asked to retry, and so is an order of rows that keep changing.
const failed = (answers: readonly Answer[]) =>
  answers.flatMap(({ status, headers, text }) =>
    status < 500 || (status === 503 && headers.has('retry-after')) ? [] : text,
  );

/** Calls again while the machine is too busy, as callers do. */
async function served(call: () => Promise<Answer>): Promise<Answer> {
  let answer = await call();
  for (let more = 10; more > 0 && answer.status === 503; more--) answer = await call();
  return answer;
}

test('catalog sync and products jobs deadlock: at once over two servers and a worker, each answers and none is lost', async () => {
  const shop = await openBulkShop();
  onTestFinished(() => shop.close());
  const numbers = Array.from({ length: 150 }, (_, n) => n);
  const stock = { enabled: true, quantity: 1_000 };
  const priced = (price: number, order: number[] = numbers) =>
    order.map((n) => product(`p-${n}`, { price, stock, sku: `s-${n}` }));
  const shelves = (price: number) => [
    category('a', priced(price).slice(0, 80)),
    category('b', priced(price).slice(70)),
  ];
  expect((await shop.call(0, 'POST /v2/catalog/sync', { categories: shelves(1) })).status).toBe(200);
  const items = (price: number, order: number[]) =>
    priced(price, order).map((each) => ({
      ...each,
      stock: { ...stock, min_stock_alarm: 1 },
      category_external_ids: [price % 2 === 0 ? 'a' : 'b'],
    }));
  const ids = await prismaOf(shop.database).product.findMany({ where: { locationId: shop.locationId } });

  const sync = (n: number) =>
    shop.call(n, 'POST /v2/catalog/sync', { categories: shelves(2 + n).toReversed() });
  const job = (n: number) =>
    shop.call(n, 'POST /v2/sync/products', { items: items(30 + n, n % 2 ? numbers : numbers.toReversed()) });
  const setStock = (n: number) => {
    const named = numbers.map((each) => ({ sku: `s-${each}`, quantity: n }));
    return shop.call(n, 'POST /v2/stock/sync', { items: n % 2 ? named : named.toReversed() });
  };
  const change = (n: number) => {
    const body = { price: n, stock: { enabled: true, quantity: n, min_stock_alarm: 0 } };
    return shop.call(n, `PATCH /v2/products/${ids[n]?.id}`, body);
  };
  const answers: Answer[] = [];
  const lane = async (call: (n: number) => Promise<Answer>, first: number, step: number, end: number) => {
    for (let n = first; n < end; n += step) answers.push(await served(() => call(n)));
  };
  await Promise.all([
    ...[0, 1].map((first) => lane(sync, first, 2, 16)),
    ...[0, 1, 2].map((first) => lane(job, first, 3, 12)),
    lane(setStock, 0, 1, 6),
    lane(change, 0, 2, 30),
    lane(change, 1, 2, 30),
  ]);
  expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
  expect(await shop.jobs()).toEqual([{ status: 'completed', error: null, jobs: 12 }]);
  expect(await shop.deadlocks()).toBe(0);
}, 240_000);

test('for any writes at one location at once, no two wait for each other', async () => {
  const seed = seedOf(11);
  const chance = createChance(seed);
  const shop = await openBulkShop();
  const answers: Answer[] = [];
  const seen: Seen = { products: [], categories: [], options: [], orders: [] };
  let turn = 0;
  onTestFinished(() => shop.close());
  const lane = async () => {
    while (turn < trials(400, 4_000)) {
      const now = turn++;
      if (now % 8 === 0) await look(shop, now, seen);
      const [route, body] = write(chance, now, seen, shop);
      const answer = await shop.call(now, route, body);
      if (route === 'POST /v2/orders' && answer.status === 201)
        seen.orders.push((answer.body.data as { id: string }).id);
      answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  const jobs = await shop.jobs();
  console.info(`seed ${seed}: ${JSON.stringify(statuses(answers))}`);
  expect(failed(answers), `seed ${seed}`).toEqual([]);
  expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(answers.length / 2);
  expect(jobs.flatMap(({ error }) => (error?.includes('fault on our side') ? error : []))).toEqual([]);
  expect(await shop.deadlocks(), `seed ${seed}`).toBe(0);
}, 300_000);

/** The rows that a lane saw last. */
interface Seen {
  products: string[];
  categories: string[];
  options: { id: string; product: string }[];
  orders: string[];
}

async function look({ database, locationId }: BulkShop, turn: number, seen: Seen): Promise<void> {
  const where = { locationId };
  const [products, categories, options] = await Promise.all([
    prismaOf(database).product.findMany({ where, select: { id: true } }),
    prismaOf(database).category.findMany({ where, select: { id: true } }),
    prismaOf(database).subselectionItem.findMany({ where, include: { subselection: true } }),
  ]);
  seen.products = products.map(({ id }) => id);
  seen.categories = categories.map(({ id }) => id);
  // A row deleted between Prisma's two statements is null.
  seen.options = options.map(({ id, subselection }) => ({
    id,
    product: (subselection as typeof subselection | null)?.productId ?? '',
  }));
  if (turn % 16 === 0) seen.orders = seen.orders.slice(-10);
}

/** The next write, of any kind. A new product gets the sku of its name. */
function write(chance: Chance, turn: number, seen: Seen, { paymentMethodId }: BulkShop): [string, unknown?] {
  const some = (most: number) =>
    Array.from({ length: 12 }, (_, n) => n)
      .filter(() => chance.percent(60))
      .sort(() => chance.between(-1, 1))
      .slice(0, most);
  const quantity = () => chance.between(500, 1_000);
  const shelf = () => `c-${chance.between(0, 3)}`;
  const id = () => (seen.products.length === 0 ? 'none' : chance.pick(seen.products));
  const named = (n: number) => ({ external_id: `p-${n}`, name: `P ${turn}`, price: turn, sku: `s-${n}` });
  const shelved = () => {
    const options = ['s', 'm', 'l'].map((name) =>
      item(name, { stock: { enabled: true, quantity: quantity() } }),
    );
    return some(12).map((n) =>
      product(`p-${n}`, {
        ...named(n),
        stock: { enabled: true, quantity: quantity() },
        subselections: [subselection('size', options, { max_selection: 3 }), subselection('more', options)],
      }),
    );
  };
  const kinds: [number, () => [string, unknown?]][] = [
    [14, () => ['POST /v2/catalog/sync', { categories: [category(shelf(), shelved())] }]],
    [
      5,
      () => {
        const categories = ['c-0', 'c-1', 'c-2'].map((name) =>
          category(name, name === 'c-1' ? shelved() : []),
        );
        return ['POST /v2/catalog/sync', { mode: 'replace', categories }];
      },
    ],
    [
      16,
      () => {
        const stock = () => ({ enabled: true, quantity: quantity(), min_stock_alarm: 0 });
        const items = some(12).map((n) => ({
          ...named(n),
          stock: stock(),
          category_external_ids: [shelf()],
        }));
        return ['POST /v2/sync/products', { items: items.length > 0 ? items : [named(1)] }];
      },
    ],
    [
      12,
      () => {
        const items = some(12).map((n) => ({ external_id: `p-${n}`, quantity: quantity() }));
        return ['POST /v2/stock/sync', { items: items.length > 0 ? items : [{ sku: 's-1', quantity: 1 }] }];
      },
    ],
    [
      14,
      () => {
        const category_ids = seen.categories.filter(() => chance.percent(50));
        const stock = { enabled: true, quantity: quantity(), min_stock_alarm: 0 };
        const sku = chance.percent(30) ? `s-${chance.between(0, 11)}` : `own-${turn}`;
        return [`PATCH /v2/products/${id()}`, { price: turn, category_ids, stock, sku }];
      },
    ],
    [
      5,
      () => {
        const category_ids = seen.categories.filter(() => chance.percent(50));
        const body = { ...named(chance.between(0, 11)), description: '', category_ids };
        const stock = { enabled: true, quantity: quantity(), min_stock_alarm: 0 };
        return ['POST /v2/products', { ...body, stock }];
      },
    ],
    [6, () => [`DELETE /v2/products/${id()}`]],
    [3, () => [`DELETE /v2/categories/${seen.categories.at(0) ?? 'none'}`]],
    [3, () => ['POST /v2/categories', { name: 'Hand', priority: 1, visible: true }]],
    [
      16,
      () => {
        const items = seen.products
          .filter(() => chance.percent(50))
          .sort(() => chance.between(-1, 1))
          .map((product_id) => {
            const chosen = seen.options.filter((each) => each.product === product_id && chance.percent(30));
            const subselections = chosen.map((each) => ({ item_id: each.id, quantity: 1 }));
            return { product_id, quantity: 1, ...(subselections.length > 0 && { subselections }) };
          });
        const body = {
          external_id: `o-${turn}`,
          is_take_away: false,
          identifier: 'T',
          payment_method_id: paymentMethodId,
        };
        return ['POST /v2/orders', { ...body, items }];
      },
    ],
    [6, () => [`POST /v2/orders/${seen.orders.shift() ?? 'none'}/cancel`, {}]],
  ];
  let left = chance.between(1, 100);
  for (const [share, kind] of kinds) {
    left -= share;
    if (left <= 0) return kind();
  }
  return ['GET /v2/catalog'];
}
