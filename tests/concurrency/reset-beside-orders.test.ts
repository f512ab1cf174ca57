import { expect, test, vi } from 'vitest';
import type { Answer, Call } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { useTwoServers } from './two-servers.ts';

// Orders that commit meanwhile reference rows that the reset removes. PostgreSQL 18 reports the violation of a
// RESTRICT under another SQLSTATE than 15 to 17.

vi.setConfig({ testTimeout: 240_000 });

const servers = useTwoServers();

interface Row {
  id: string;
}

test('a sandbox that is reset while orders, turns, syncs and changes go on answers each reset with 200', async () => {
  const { database } = servers;
  const locationId = await createLocation(database, { sandbox: true });
  const { key } = await createKey(database, { locationId, batchJobsPerHour: 100_000 });
  let calls = 0;
  const call = (route: string, body?: unknown): Promise<Answer> => {
    calls += 1;
    const more: Call = { key, headers: { 'idempotency-key': `call-${calls}` } };
    return servers.call(calls, route, body === undefined ? more : { ...more, body });
  };
  const rowsOf = async (route: string) => ((await call(route)).body.data ?? []) as Row[];
  expect((await call('POST /v2/sandbox/reset', {})).status).toBe(200);

  let over = false;
  const answered = new Map<string, number>();
  const placed = () => answered.get('201') ?? 0;
  const faults: string[] = [];
  const again = async (work: () => Promise<Answer | undefined>) => {
    while (!over) {
      const answer = await work();
      if (answer === undefined) continue;
      answered.set(`${answer.status}`, (answered.get(`${answer.status}`) ?? 0) + 1);
      if (answer.status >= 500 && answer.status !== 503) faults.push(answer.text);
    }
  };
  const order = async () => {
    // Of the demo: it is counted, and needs no choice.
    const [found, [method]] = await Promise.all([
      call('GET /v2/products/by-external-id/DR-02'),
      rowsOf('GET /v2/payment-methods?limit=1'),
    ]);
    const product = found.body.data as Row | undefined;
    if (product === undefined || method === undefined) return undefined;
    return call('POST /v2/orders', {
      external_id: `o-${calls}`,
      is_take_away: true,
      identifier: 'Ana',
      payment_method_id: method.id,
      items: [{ product_id: product.id, quantity: 1 }],
    });
  };
  let step = 0;
  const others = [
    async () => call('POST /trpc/turns.open', {}),
    async () => call('POST /trpc/turns.close', {}),
    async () =>
      call('POST /v2/catalog/sync', {
        categories: [{ external_id: 'c', name: 'C', products: [{ external_id: 'p', name: 'P', price: 1 }] }],
      }),
    async () => {
      const products = await rowsOf('GET /v2/products?limit=1');
      return products[0] && call(`PATCH /v2/products/${products[0].id}`, { price: (step % 9) + 1 });
    },
    async () => {
      const orders = await rowsOf('GET /v2/orders?limit=1');
      return orders[0] && call(`PATCH /v2/orders/${orders[0].id}/status`, { status: 'canceled' });
    },
  ];
  const clients = [
    again(order),
    again(order),
    again(order),
    again(async () => {
      step += 1;
      return others[step % others.length]?.();
    }),
  ];
  const resets: string[] = [];
  for (let reset = 0; reset < 12; reset += 1) {
    const before = placed();
    const answer = await call('POST /v2/sandbox/reset', {});
    resets.push(answer.status === 200 ? '200' : `${answer.status} ${answer.text}`);
    await waitFor('orders', () => placed() >= before + 2, { timeoutMs: 60_000 });
  }
  over = true;
  await Promise.all(clients);
  expect(resets).toEqual(resets.map(() => '200'));
  expect(faults).toEqual([]);
});
