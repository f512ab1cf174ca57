import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@comanda/client';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** `orders.get` through the typed client against `GET /v2/orders/{id}`: what the service pays for one of each. */
export const trpc: Part = {
  name: 'trpc',
  summary: 'read an order through the typed client, against REST',
  async run({ setup, effort, small }) {
    const api = await setup.startApi();
    const shop = await makeShop(setup, api.url, 20);
    const client = createClient({ url: api.url, key: shop.key, retries: 0 });
    const items = shop.productIds.slice(0, 5).map((product_id, index) => ({
      product_id,
      external_product_id: `p${index}`,
      quantity: 1,
    }));
    const order = await client.orders.create.mutate({
      idempotencyKey: 'bench',
      external_id: 'bench',
      is_take_away: false,
      identifier: '',
      payment_method_id: shop.paymentMethodId,
      items,
    });
    const { authorization = '' } = shop.headers;
    const rest = async () => {
      const response = await fetch(`${api.url}/v2/orders/${order.id}`, { headers: { authorization } });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      await response.json();
    };
    const typed = () => client.orders.get.query({ id: order.id });
    const calls = small ? 100 : 4_000;
    const cost = async (call: () => Promise<unknown>) => {
      const before = processCpuMs(api.pid) + serverCpuMs(setup.postmaster);
      await repeat(call, calls, effort.connections);
      // The time that a tick of the CPU clock has not counted yet.
      await sleep(20);
      return ((processCpuMs(api.pid) + serverCpuMs(setup.postmaster) - before) * 1000) / calls;
    };
    const costs = { rest: [] as number[], typed: [] as number[] };
    await cost(rest);
    await cost(typed);
    for (let run = 0; run < effort.repeats; run += 1) {
      costs.rest.push(await cost(rest));
      costs.typed.push(await cost(typed));
    }
    await api.stop();
    const [ofRest, ofTyped] = [median(costs.rest), median(costs.typed)];
    return [
      figureRow(
        'trpc',
        'orders.get through the typed client ÷ REST, CPU of service and database',
        { most: 1.5, unit: '×' },
        ofTyped / ofRest,
        `${ofTyped.toFixed(0)} µs against ${ofRest.toFixed(0)} µs; the client joins up to ten reads of one tick`,
      ),
    ];
  },
};

/** Calls `count` times, `parallel` at once. */
async function repeat(call: () => Promise<unknown>, count: number, parallel: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}
