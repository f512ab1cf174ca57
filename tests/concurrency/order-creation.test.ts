import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import {
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from '../support/factories.ts';
import { orderBody, orderOf, refusalOf } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { race, raceAll, statuses, useTwoServers } from './two-servers.ts';

const two = useTwoServers();
let productId: string;
beforeAll(async () => {
  productId = await createProduct(two.database, { locationId: two.locationId });
});

const body = (overrides: Record<string, unknown> = {}) =>
  orderBody({ productId, paymentMethodId: two.paymentMethodId }, overrides);
const items = (...lines: [string, number][]) =>
  lines.map(([product_id, quantity]) => ({ product_id, quantity }));
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const stockOf = async (id: string) =>
  (
    await prismaOf(two.database).productStock.findFirstOrThrow({ where: { productId: id } })
  ).quantity.toNumber();

describe('over two API servers', { timeout: 120_000 }, () => {
  it('40 idempotency keys, each sent 6 times at once, make 40 orders and equal answers', async () => {
    const before = await prismaOf(two.database).order.count();
    const trials = await raceAll('one key, six calls', 40, () => {
      const [key, request] = [randomUUID(), body()];
      return race(times(6, (turn) => () => two.order(turn, key, request)));
    });
    expect(trials.filter(({ real }) => real)).toHaveLength(40);
    for (const { answers } of trials) {
      expect(statuses(answers), answers.map(({ text }) => text).join()).toEqual({ 201: 6 });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replayed).toHaveLength(5);
    }
    expect(await prismaOf(two.database).order.count()).toBe(before + 40);
    expect(await prismaOf(two.database).payment.count()).toBe(await prismaOf(two.database).order.count());
  });

  it('one key with two bodies at once makes one order, and the other body is a conflict', async () => {
    const trials = await raceAll('one key, two bodies', 20, () => {
      const [key, one, other] = [randomUUID(), body(), body()];
      return race(times(6, (turn) => () => two.order(turn, key, turn < 3 ? one : other)));
    });
    for (const { answers } of trials) {
      expect(statuses(answers)).toEqual({ 201: 3, 409: 3 });
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    }
  });

  it('a key sent 6 times at once for the very last of the stock replays and is never refused', async () => {
    const trials = await raceAll('one key, last of the stock', 20, async () => {
      const scarce = await createProduct(two.database, {
        locationId: two.locationId,
        stock: { quantity: 1 },
      });
      const [key, request] = [randomUUID(), body({ items: items([scarce, 1]) })];
      return race(times(6, (turn) => () => two.order(turn, key, request)));
    });
    for (const { answers } of trials) expect(statuses(answers)).toEqual({ 201: 6 });
  });

  it('200 buyers of 50 units buy 50, and stock is never negative', async () => {
    const scarce = await createProduct(two.database, { locationId: two.locationId, stock: { quantity: 50 } });
    const { answers, real } = await race(
      times(200, (turn) => () => two.order(turn, randomUUID(), body({ items: items([scarce, 1]) }))),
    );
    expect(real).toBe(true);
    expect(statuses(answers)).toEqual({ 201: 50, 422: 150 });
    for (const answer of answers.filter(({ status }) => status === 422))
      expect(refusalOf(answer).message).toMatch(/^items\[0\]\.quantity: insufficient stock, only 0 left$/);
    expect(await stockOf(scarce)).toBe(0);
    expect(await prismaOf(two.database).orderItem.count({ where: { productId: scarce } })).toBe(50);
  });

  it('buyers of a chosen item do not oversell it either', async () => {
    const offered = await createProduct(two.database, { locationId: two.locationId });
    const { itemIds } = await createSubselection(two.database, {
      locationId: two.locationId,
      productId: offered,
      items: [{ stockEnabled: true, stockQuantity: 10 }],
    });
    const line = { product_id: offered, quantity: 1, subselections: [{ item_id: itemIds[0], quantity: 1 }] };
    const { answers } = await race(
      times(40, (turn) => () => two.order(turn, randomUUID(), body({ items: [line] }))),
    );
    expect(statuses(answers)).toEqual({ 201: 10, 422: 30 });
  });

  it('orders of the same products in every order, and their cancellations, lose and gain nothing', async () => {
    const stocked = () =>
      createProduct(two.database, { locationId: two.locationId, stock: { quantity: 1_000 } });
    const [a, b] = [await stocked(), await stocked()];
    const lines: [string, number][] = [
      [a, 2],
      [b, 3],
    ];
    const canceled: Answer[] = [];
    const { answers } = await race(
      times(60, (turn) => async () => {
        const request = body({ items: items(...(turn % 4 < 2 ? lines : [...lines].reverse())) });
        const made = await two.order(turn, randomUUID(), request);
        if (turn % 3 > 0)
          canceled.push(await two.call(turn + 1, `POST /v2/orders/${orderOf(made).id}/cancel`, { body: {} }));
        return made;
      }),
    );
    expect(statuses(answers)).toEqual({ 201: 60 });
    expect(statuses(canceled)).toEqual({ 200: 40 });
    expect([await stockOf(a), await stockOf(b)]).toEqual([1_000 - 20 * 2, 1_000 - 20 * 3]);
  });

  it('30 orders at once get 30 consecutive numbers from 1', async () => {
    const locationId = await createLocation(two.database);
    const [product, paymentMethodId, { key }] = [
      await createProduct(two.database, { locationId }),
      await createPaymentMethod(two.database, { locationId }),
      await createKey(two.database, { locationId }),
    ];
    const { answers, real } = await race(
      times(30, (turn) => () => {
        const request = orderBody({ productId: product, paymentMethodId });
        return two.call(turn, 'POST /v2/orders', {
          key,
          body: request,
          headers: { 'idempotency-key': randomUUID() },
        });
      }),
    );
    expect(real).toBe(true);
    const numbers = answers.map((answer) => orderOf(answer).number).sort((x, y) => x - y);
    expect(numbers).toEqual(times(30, (index) => index + 1));
  });

  it('one external_id sent with different keys at once makes one order, and the rest get its id', async () => {
    const trials = await raceAll('one external_id, six keys', 30, () => {
      const request = body();
      return race(times(6, (turn) => () => two.order(turn, randomUUID(), request)));
    });
    expect(trials.filter(({ real }) => real)).toHaveLength(30);
    for (const { answers } of trials) {
      expect(statuses(answers)).toEqual({ 201: 1, 409: 5 });
      const made = answers.find(({ status }) => status === 201);
      for (const answer of answers.filter(({ status }) => status === 409)) {
        const { code, message } = refusalOf(answer);
        expect(code).toBe('conflict');
        expect(message).toContain(made && orderOf(made).id);
      }
    }
  });

  it('prices that change under the orders never mix: every line holds a price that the product had', async () => {
    const changing = await createProduct(two.database, { locationId: two.locationId, price: 1 });
    let running = true;
    const changes = (async () => {
      for (let price = 2; running; price++)
        await prismaOf(two.database).product.updateMany({ where: { id: changing }, data: { price } });
    })();
    const requests = times(30, () => [randomUUID(), body({ items: items([changing, 2]) })] as const);
    const { answers } = await race(requests.map((request, turn) => () => two.order(turn, ...request)));
    running = false;
    await changes;
    for (const [turn, request] of requests.entries()) {
      // An order whose prices changed five times under it is asked to come back: no other refusal is right.
      const first = answers[turn];
      if (first?.status !== 201)
        expect([first?.status, first?.headers.get('retry-after')]).toEqual([503, '1']);
      const {
        total,
        items: [line],
      } = orderOf(await two.order(turn, ...request));
      expect(total).toBe(2 * (line?.unit_price ?? 0));
    }
  });
});
