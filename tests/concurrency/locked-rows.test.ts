import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Answer, callRest } from '../support/api.ts';
import {
  createCategory,
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
} from '../support/factories.ts';
import { orderBody } from '../support/orders.ts';
import { statuses, useTwoProcesses } from './two-processes.ts';

// Finding 6: five orders that waited for one row stopped the orders and lists of their location, two locations stopped all.

/** Longer than anybody waits for a lock. */
const heldMs = 7_000;

const two = useTwoProcesses();

interface Stall {
  key: string;
  productId: string;
  categoryId: string;
  paymentMethodId: string;
}

async function openStall(): Promise<Stall> {
  const { database } = two;
  const locationId = await createLocation(database);
  return {
    key: (await createKey(database, { locationId })).key,
    productId: await createProduct(database, { locationId, stock: { quantity: 1_000 } }),
    categoryId: await createCategory(database, { locationId }),
    paymentMethodId: await createPaymentMethod(database, { locationId }),
  };
}

describe('rows that another session holds', { timeout: 120_000 }, () => {
  it.each([1, 3, 6])(
    'one at each of %i locations stop no list, no other resource there, and no other location',
    async (locked) => {
      const stalls = await Promise.all(Array.from({ length: locked + 1 }, openStall));
      const [free, ...held] = stalls;
      if (free === undefined) throw new Error('there are stalls');
      const holder = await two.database.pool.connect();
      let holding = true;
      const stuck: Answer[] = [];
      try {
        await holder.query('begin');
        await holder.query('select from product_stock where product_id = any ($1) for update', [
          held.map(({ productId }) => productId),
        ]);
        const callers = held.flatMap((stall) =>
          Array.from({ length: 24 }, async (_, turn) => {
            while (holding) {
              const answer = await order(turn, stall);
              stuck.push(answer);
              if (answer.status === 503) await sleep(500);
            }
          }),
        );
        await sleep(500);
        const served: Answer[] = [];
        const waited: number[] = [];
        for (const end = performance.now() + heldMs; performance.now() < end; await sleep(50)) {
          const began = performance.now();
          for (const turn of [0, 1]) served.push(...(await Promise.all(besides(turn, free, held))));
          waited.push(performance.now() - began);
        }
        console.info(
          `${locked} locked: the slowest round with it took ${Math.round(Math.max(...waited))} ms`,
        );
        expect(served.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
        expect(served.length).toBeGreaterThanOrEqual(10);
        holding = false;
        await holder.query('rollback');
        await Promise.all(callers);
      } finally {
        holding = false;
        await holder.query('rollback');
        holder.release();
      }
      // Calls that met the lock were asked to retry, and calls after its release were done.
      expect(Object.keys(statuses(stuck)).sort()).toEqual(['201', '503']);
      for (const { status, headers } of stuck)
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      for (const stall of held) expect((await order(0, stall)).status).toBe(201);
    },
  );
});

/** Calls that need no row that is held: of a location without any, and of one with. */
function besides(turn: number, free: Stall, [first = free]: readonly Stall[]): Promise<Answer>[] {
  const ask = ({ key }: Stall, route: string, body?: unknown) =>
    callRest(two.urls[turn === 0 ? 0 : 1], route, { key, ...(body !== undefined && { body }) });
  return [
    order(turn, free),
    ask(free, 'GET /v2/orders'),
    ask(first, 'GET /v2/orders'),
    ask(first, 'GET /v2/products'),
    ask(first, `PATCH /v2/categories/${first.categoryId}`, { priority: turn }),
  ];
}

function order(turn: number, { key, productId, paymentMethodId }: Stall): Promise<Answer> {
  return two.call(turn, 'POST /v2/orders', {
    key,
    body: orderBody({ productId, paymentMethodId }),
    headers: { 'idempotency-key': randomUUID() },
  });
}
