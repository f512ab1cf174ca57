import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { race, raceAll, statuses, useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const races = 20;
let productId: string;
beforeAll(async () => {
  productId = await createProduct(two.database, {
    locationId: two.locationId,
    stock: { quantity: 1_000 },
  });
});

const move = (turn: number, id: string, status: OrderStatus) =>
  two.call(turn, `PATCH /v2/orders/${id}/status`, { body: { status } });

async function orderIn(status: 'pending' | 'ready'): Promise<string> {
  const request = orderBody({ productId, paymentMethodId: two.paymentMethodId });
  const { id } = orderOf(await two.order(0, randomUUID(), request));
  if (status === 'ready') expect((await move(0, id, 'ready')).status).toBe(200);
  return id;
}

const statusOf = async (id: string) => orderOf(await two.call(0, `GET /v2/orders/${id}`)).status;

describe('over two API servers', { timeout: 120_000 }, () => {
  it.each<['pending' | 'ready', OrderStatus, OrderStatus]>([
    ['ready', 'closed', 'canceled'],
    ['pending', 'ready', 'ready'],
    ['pending', 'canceled', 'canceled'],
    ['ready', 'closed', 'closed'],
  ])('of a %s order that is moved to %s and to %s at once, one move wins', async (from, one, other) => {
    const ids: string[] = [];
    const trials = await raceAll(`${from}: ${one} against ${other}`, races, async (index) => {
      const id = await orderIn(from);
      ids[index] = id;
      return race([
        () => move(index, id, one),
        () => move(index + 1, id, other),
        () => move(index + 1, id, one),
        () => move(index, id, other),
      ]);
    });
    expect(trials.filter(({ real }) => real)).toHaveLength(races);
    for (const [index, { answers }] of trials.entries()) {
      expect(statuses(answers)).toEqual({ 200: 1, 409: 3 });
      const won = answers.find(({ status }) => status === 200);
      expect(await statusOf(ids[index] ?? '')).toBe(won && orderOf(won).status);
    }
  });

  it('of a pending order made ready and canceled at once, ready never comes after canceled', async () => {
    const trials = await raceAll('pending: ready against canceled', races, async (index) => {
      const id = await orderIn('pending');
      return race([() => move(index, id, 'ready'), () => move(index + 1, id, 'canceled')]);
    });
    for (const { answers } of trials) {
      const [ready, canceled] = answers;
      // Canceling is legal before and after ready; ready is legal only before.
      expect(canceled?.status).toBe(200);
      expect([200, 409]).toContain(ready?.status);
      expect(canceled && orderOf(canceled).status).toBe('canceled');
    }
  });

  it('stock that racing cancellations give back is given back once', async () => {
    const before = await stock();
    const id = await orderIn('ready');
    expect(await stock()).toBe(before - 1);
    await race(Array.from({ length: 10 }, (_, turn) => () => move(turn, id, 'canceled')));
    expect(await stock()).toBe(before);
  });
});

const stock = async () =>
  (await prismaOf(two.database).productStock.findFirstOrThrow({ where: { productId } })).quantity.toNumber();
