import { expect } from 'vitest';
import type { OrderList } from '../../../packages/api/src/resources/orders/schema.ts';
import { wireTime } from '../../../packages/api/src/wire.ts';
import { plainQuery as plainCatalog } from '../../api/catalog-shop.ts';
import { plainOrders } from '../../api/orders-history.ts';
import { plainProducts } from '../../api/products-plain.ts';
import type { Answer } from '../../support/api.ts';
import { prismaOf } from '../../support/prisma.ts';
import type { Ground } from './ground.ts';

interface PageBody {
  data: unknown[];
  pagination: { total: number };
}

const read = async (ground: Ground, route: string): Promise<PageBody> =>
  (await ground.call(`GET ${route}`, undefined, 200)).body as unknown as PageBody;

const query = (parameters: Record<string, unknown>): string =>
  Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');

/** A page and a total of orders, by status and days or without, in any order. */
export async function compareOrders(ground: Ground): Promise<void> {
  const { chance, restaurant, locationId } = ground;
  const days = [chance.between(0, 75), chance.between(0, 75)].sort((a, b) => a - b);
  const [from, to] = days.map((day) => new Date(Date.UTC(2025, 0, day - 5)).toISOString().slice(0, 10));
  const asked: OrderList = {
    limit: chance.pick([1, 7, 50, 200]),
    offset: chance.pick([0, 0, 3, 60, 400]),
    sort: chance.pick(['created_at', 'created_at', 'number', 'total']),
    order: chance.pick(['asc', 'desc']),
    ...(chance.percent(40) && { status: chance.pick(['pending', 'ready', 'closed', 'canceled']) }),
    ...(chance.percent(50) && { from }),
    ...(chance.percent(50) && { to }),
  };
  const { data, pagination } = await read(ground, `/${chance.pick(['v1', 'v2'])}/orders?${query(asked)}`);
  const plain = await prismaOf(restaurant.database).$transaction((tx) => plainOrders(tx, locationId, asked));
  expect({ asked, total: pagination.total, data }).toEqual({ asked, ...plain });
}

/** A page and a total of products. */
export async function compareProducts(ground: Ground): Promise<void> {
  const { chance, restaurant, locationId } = ground;
  const paging = { limit: chance.pick([2, 10, 200]), offset: chance.pick([0, 0, 4]) };
  const filters = chance.pick([{}, { visible: true }, { visible: false }]);
  const { data, pagination } = await read(ground, `/v2/products?${query({ ...paging, ...filters })}`);
  const plain = await prismaOf(restaurant.database).$transaction((tx) =>
    plainProducts(tx, locationId, paging, filters),
  );
  expect({ paging, filters, total: pagination.total, data }).toEqual({
    paging,
    filters,
    total: plain.total,
    data: JSON.parse(plain.text) as unknown,
  });
  for (const shown of (data as { id: string }[]).slice(0, 2)) {
    const one = await ground.call(`GET /v2/products/${shown.id}`, undefined, 200);
    expect(one.body).toEqual({ data: shown });
  }
}

/** A page and a total of stock. */
export async function compareStock(ground: Ground): Promise<void> {
  const { chance, restaurant, locationId } = ground;
  const prisma = prismaOf(restaurant.database);
  const paging = { limit: chance.pick([3, 200]), offset: chance.pick([0, 2]) };
  const { data, pagination } = await read(ground, `/v2/stock?${query(paging)}`);
  const { timezone } = await prisma.location.findUniqueOrThrow({ where: { id: locationId } });
  const rows = await prisma.productStock.findMany({
    where: { locationId },
    orderBy: [{ updatedAt: 'asc' }, { productId: 'asc' }],
    skip: paging.offset,
    take: paging.limit,
    include: { product: true },
  });
  expect(pagination.total).toBe(await prisma.productStock.count({ where: { locationId } }));
  expect(data).toEqual(
    rows.map(({ product, enabled, quantity, minStockAlarm, updatedAt }) => ({
      product_id: product.id,
      ...(product.externalId !== null && { external_id: product.externalId }),
      sku: product.sku,
      name: product.name,
      stock: { enabled, quantity: quantity.toNumber(), min_stock_alarm: minStockAlarm.toNumber() },
      updated_at: wireTime(updatedAt, timezone),
    })),
  );
}

/** The catalog, as both processes show it: its content, its tags, and its version. */
export function catalogComparison(): (ground: Ground) => Promise<void> {
  const texts = new Map<string, string>();
  let last = { etag: '"none"', version: 0, content: '' };
  return async (ground) => {
    const { restaurant, locationId, chance } = ground;
    const plain = await plainCatalog({ app: restaurant }, locationId);
    for (const turn of [0, 1]) {
      const etag = chance.pick([last.etag, chance.pick(['"none"', ...texts.keys()])]);
      const headers = { 'if-none-match': etag };
      const answer: Answer = await restaurant.call(turn, 'GET /v2/catalog', { headers });
      const shownBy = answer.headers.get('etag') ?? '';
      const text =
        answer.status === 304 ? (texts.get(shownBy) ?? 'a tag that no caller was given') : answer.text;
      expect(texts.get(shownBy) ?? text).toBe(text);
      texts.set(shownBy, text);
      const { data } = JSON.parse(text) as { data: { version: string; categories: unknown } };
      expect(data.categories).toEqual(plain);
      const [version, content] = [Date.parse(data.version), JSON.stringify(plain)];
      if (content === last.content) expect(version).toBeGreaterThanOrEqual(last.version);
      else expect(version).toBeGreaterThan(last.version);
      last = { etag: shownBy, version, content };
    }
  };
}
