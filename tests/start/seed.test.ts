import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { seedDemo } from '../../prisma/seed.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { prismaOf } from '../support/prisma.ts';
import { roleUrl } from '../support/roles.ts';

const test = useTestDatabase();
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'comanda-seed-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
});

const seed = () => seedDemo({ databaseUrl: roleUrl(test.url, 'owner'), dataDir });

it('makes a believable restaurant once, with totals that agree', async () => {
  const { key } = await seed();
  expect(key).toMatch(/^cmd_live_/);
  expect((await seed()).key).toBe(key);
  const database = openDatabase({ url: test.url, poolSize: 2 });
  onTestFinished(() => database.close());
  const prisma = prismaOf(database);
  expect(await prisma.location.count()).toBe(1);
  expect(await prisma.category.count()).toBe(6);
  expect(await prisma.product.count()).toBe(40);
  expect(await prisma.subselectionItem.count()).toBeGreaterThan(10);
  expect(await prisma.productStock.count()).toBeGreaterThan(5);
  const stocked = await prisma.productStock.findMany({ include: { product: true } });
  const low = stocked.filter(({ quantity, minStockAlarm }) => Number(quantity) <= Number(minStockAlarm));
  expect(low.map(({ product }) => product.name).sort()).toEqual(['Chajá', 'Pork shoulder']);
  expect(await prisma.menu.count({ where: { isPublished: true } })).toBe(1);
  expect((await prisma.paymentMethod.findMany()).map(({ type }) => type).sort()).toEqual([
    'card',
    'cash',
    'qr',
  ]);
  const turns = await prisma.turn.findMany({
    include: { settlement: true, orders: { include: { payments: true } } },
  });
  expect(turns.map(({ status }) => status).sort()).toEqual(['closed', 'closed', 'open']);
  for (const { status, settlement, orders } of turns) {
    expect(settlement === null).toBe(status === 'open');
    const cents = orders
      .filter(({ payments }) => payments.some(({ status }) => status === 'completed'))
      .reduce((sum, { total }) => sum + Math.round(Number(total) * 100), 0);
    if (settlement) {
      expect(settlement.totalOrders).toBe(orders.length);
      expect(Math.round(Number(settlement.totalCollected) * 100)).toBe(cents);
    }
  }
  const numbers = (await prisma.order.findMany({ orderBy: { number: 'asc' } })).map(({ number }) => number);
  expect(numbers.length).toBeGreaterThanOrEqual(36);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const counter = await prisma.locationCounter.findFirst({ where: { name: 'order' } });
  expect(Number(counter?.value)).toBe(numbers.length);
  const items = await prisma.orderItem.groupBy({ by: ['orderId'], _sum: { total: true } });
  const orders = await prisma.order.findMany({ include: { payments: true } });
  for (const { id, total, adjustments } of orders) {
    const added = z.array(z.object({ total: z.number() })).parse(adjustments ?? []);
    const sum = added.reduce((all, each) => all + each.total, 0);
    expect(Number(items.find(({ orderId }) => orderId === id)?._sum.total) + sum).toBeCloseTo(Number(total));
  }
  const some = (has: (order: (typeof orders)[number]) => unknown) => orders.filter(has).length;
  expect(
    some(({ customerName, deliveryLines, promisedAt }) => customerName && deliveryLines && promisedAt),
  ).toBeGreaterThan(3);
  expect(some(({ guests }) => guests)).toBeGreaterThan(3);
  expect(some(({ payments }) => payments.length === 2)).toBeGreaterThan(1);
  expect(await prisma.orderMove.findMany({ select: { difference: true } })).toEqual([
    { difference: { fields: ['note'] } },
  ]);
});

it('keeps the key readable by its owner alone, and replaces it when the file is lost', async () => {
  const file = join(dataDir, 'demo-key');
  const { key } = await seed();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(file);
  const { key: next } = await seed();
  expect(next).not.toBe(key);
  expect((await readFile(file, 'utf8')).trim()).toBe(next);
  const database = openDatabase({ url: test.url, poolSize: 2 });
  const keys = await prismaOf(database).apiKey.findMany({ where: { name: 'demo' } });
  await database.close();
  expect(keys.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  expect(keys).toHaveLength(2);
});

it('makes nothing where there are locations of others', async () => {
  const api: TestApi = await startTestApi();
  onTestFinished(() => api.close());
  expect(await seedDemo({ databaseUrl: api.databaseUrl, dataDir: join(dataDir, 'other') })).toEqual({
    key: undefined,
  });
  expect(await prismaOf(api.app.database).location.count()).toBe(1);
});
