import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { appRouter, operationsOf } from '@comanda/api';
import { describe, expect, it, test } from 'vitest';
import { type Answer, callRest } from '../support/api.ts';
import {
  createCategory,
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
} from '../support/factories.ts';
import { createPayments } from '../support/moved-payments.ts';
import { orderBody } from '../support/orders.ts';
import { statuses, useTwoProcesses } from './two-servers.ts';

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

/** Inputs of one joined mutation at one location. All but `free` need a row that `hold` locks. */
interface Held {
  /** With $1 ids. */
  hold: string;
  ids: string[];
  waiting: Record<string, unknown>[];
  /** They need other rows. */
  free: Record<string, unknown>[];
}

/** A location with stock. */
interface Counter {
  locationId: string;
  key: string;
  methodId: string;
  /** Products: of the held row, of no call that waits, of some. */
  products: [held: string, free: string, third: string];
}

const waitingCalls = 8;
const times = <Value>(count: number, of: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => of(index));

const rowsOf = (table: string, column = 'id') => `select from ${table} where ${column} = any ($1) for update`;

const orderOf = ({ methodId }: Counter, ...products: string[]) => ({
  ...orderBody({ productId: '', paymentMethodId: methodId }),
  items: products.map((product_id) => ({ product_id, quantity: 1 })),
});

function ofOrders(at: Counter): Held {
  const [held, free, third] = at.products;
  return {
    hold: rowsOf('product_stock', 'product_id'),
    ids: [held],
    // Some with a product that others order meanwhile.
    waiting: times(waitingCalls, (n) => orderOf(at, held, ...(n % 2 === 0 ? [] : [third]))),
    free: [orderOf(at, free), orderOf(at, third)],
  };
}

async function ofPayments(
  at: Counter,
  rows: 'orders' | 'payments',
  inputOf: (made: { id: string; orderId: string }) => Record<string, unknown>,
): Promise<Held> {
  const made = await createPayments(two.database, at, waitingCalls + 2);
  const held = made.slice(2);
  return {
    hold: rowsOf(rows),
    ids: held.map(({ id, orderId }) => (rows === 'orders' ? orderId : id)),
    waiting: held.map(inputOf),
    free: made.slice(0, 2).map(inputOf),
  };
}

function ofProducts(at: Counter, table: 'products' | 'product_stock', change: Record<string, unknown>): Held {
  const [held, free, third] = at.products;
  return {
    hold: rowsOf(table, table === 'products' ? 'id' : 'product_id'),
    ids: [held],
    waiting: times(waitingCalls, () => ({ id: held, ...change })),
    free: [free, third].map((id) => ({ id, ...change })),
  };
}

/** By the name of the operation. */
const joined: Record<string, (at: Counter) => Held | Promise<Held>> = {
  'orders.create': ofOrders,
  'v1.orders.create': ofOrders,
  'orders.updateStatus': (at) =>
    ofPayments(at, 'orders', ({ orderId }) => ({ id: orderId, status: 'ready' })),
  // A cancellation returns the stock.
  async 'orders.cancel'(at) {
    const [held, free] = at.products;
    const placed = async (product: string) => {
      const { data } = await mutate(at, 'orders.create', orderOf(at, product));
      return { id: data.id };
    };
    return {
      hold: rowsOf('product_stock', 'product_id'),
      ids: [held],
      waiting: await Promise.all(times(waitingCalls, () => placed(held))),
      free: [await placed(free), await placed(free)],
    };
  },
  'payments.complete': (at) => ofPayments(at, 'payments', ({ id }) => ({ id })),
  'payments.reject': (at) => ofPayments(at, 'orders', ({ id }) => ({ id })),
  'products.update': (at) => ofProducts(at, 'products', { price: 2 }),
  'stock.adjust': (at) => ofProducts(at, 'product_stock', { adjust: 1 }),
};

async function openCounter(): Promise<Counter> {
  const locationId = await createLocation(two.database);
  const product = () => createProduct(two.database, { locationId, stock: { quantity: 100 } });
  return {
    locationId,
    key: (await createKey(two.database, { locationId })).key,
    methodId: await createPaymentMethod(two.database, { locationId }),
    products: [await product(), await product(), await product()],
  };
}

/** Calls the first process, with a key of its own where the operation needs one or `isKeyed`. Throws the text of a refusal. */
async function mutate({ key }: Counter, name: string, input: Record<string, unknown>, isKeyed = false) {
  const needsKey = isKeyed || byName.get(name)?.meta.idempotent === true;
  const response = await fetch(`${two.urls[0]}/trpc/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...input, ...(needsKey && { idempotencyKey: randomUUID() }) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${text}`);
  return (JSON.parse(text) as { result: { data: { id: string } } }).result;
}

const byName = new Map(operationsOf(appRouter).map((operation) => [operation.name, operation]));

test('every joined mutation is among those of the next test', () => {
  const names = [...byName].flatMap(([name, operation]) =>
    operation.kind === 'mutation' && operation.joins ? name : [],
  );
  expect(Object.keys(joined).sort()).toEqual(names.sort());
});

// The typed client sends a key with every mutation. Moves and changes with a key are not joined with others.
const cases = Object.entries(joined).flatMap(([name, heldAt]) =>
  (byName.get(name)?.meta.idempotent === true ? [false] : [false, true]).map(
    (isKeyed) => [name, isKeyed ? 'with keys' : 'as they are', heldAt, isKeyed] as const,
  ),
);

test.each(cases)(
  'calls of %s (%s) that wait for a held row hold up no call that needs other rows',
  async (name, _how, heldAt, isKeyed) => {
    const at = await openCounter();
    const { hold, ids, waiting, free } = await heldAt(at);
    const holder = await two.database.pool.connect();
    let written = 0;
    // On a slow machine one is refused before the row is free.
    const write = async (input: Record<string, unknown> = {}): Promise<void> => {
      try {
        await mutate(at, name, input, isKeyed);
        written += 1;
      } catch (error) {
        if (!String(error).includes('"httpStatus":503')) throw error;
        await sleep(100);
        await write(input);
      }
    };
    try {
      await holder.query('begin');
      await holder.query(hold, [ids]);
      const [last, ...others] = waiting;
      const writes = others.map(write);
      for (const input of free) {
        await mutate(at, name, input, isKeyed);
        if (writes.length < waiting.length) writes.push(write(last));
      }
      expect(written).toBe(0);
      await holder.query('rollback');
      await Promise.all(writes);
      expect(written).toBe(waitingCalls);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  },
);
