import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithOthers } from '../company.ts';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** Webhooks of a new location of a filled database, to a consumer on this machine: how many a second, how long after the commit. */
export const webhooks: Part = {
  name: 'webhooks',
  summary: 'webhooks to a local consumer: throughput and latency',
  async run({ setup, small, log }) {
    await fillWithOthers(setup, small);
    const consumer = await setup.startConsumer();
    const api = await setup.startApi();
    const worker = await setup.startWorker();
    const shop = await makeShop(setup, api.url, small ? 100 : 2_000);
    const answer = await fetch(`${api.url}/v2/webhook-endpoints`, {
      method: 'POST',
      headers: shop.headers,
      body: JSON.stringify({ url: `${consumer.url}/hook`, events: ['product.updated'] }),
    });
    if (answer.status !== 201) throw new Error(`webhook endpoint answered ${answer.status}`);
    const seen = async () =>
      (await (await fetch(consumer.url)).json()) as { received: number; latencies: number[] };
    // The changes that loading the menu captured are removed first.
    for (;;) {
      const { rows } = await setup.comanda.pool.query('select from internal.captured_changes limit 1');
      if (rows.length === 0) break;
      await sleep(50);
    }

    log('throughput');
    const rounds = small ? 2 : 10;
    const expected = (await seen()).received + rounds * shop.productIds.length;
    const cpuMs = () => ({
      worker: processCpuMs(worker.pid),
      PostgreSQL: serverCpuMs(setup.postmaster),
      consumer: processCpuMs(consumer.pid),
    });
    const before = cpuMs();
    const began = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      await setup.comanda.pool.query('update products set price = price + 0.01 where location_id = $1', [
        shop.locationId,
      ]);
    }
    const end = performance.now() + 120_000;
    while ((await seen()).received < expected && performance.now() < end) await sleep(20);
    const delivered = rounds * shop.productIds.length - (expected - (await seen()).received);
    if (delivered !== rounds * shop.productIds.length) throw new Error(`only ${delivered} webhooks arrived`);
    // The last arrivals are recorded a moment later.
    const recorded = async () => {
      const { rows } = await setup.comanda.pool.query<{ count: number }>(
        'select count(*)::int as count from webhook_attempts',
      );
      return rows[0]?.count ?? 0;
    };
    while ((await recorded()) < expected && performance.now() < end) await sleep(10);
    const seconds = (performance.now() - began) / 1000;
    const attempts = await recorded();
    const after = cpuMs();
    const cpu = (['worker', 'PostgreSQL', 'consumer'] as const)
      .map((name) => `${name} ${(((after[name] - before[name]) * 1000) / delivered).toFixed(0)}`)
      .join(', ');

    log('latency at 500 changes a second');
    await seen();
    const lasts = small ? 1_000 : 20_000;
    const start = performance.now();
    for (let changes = 0; performance.now() - start < lasts; changes += 1) {
      const id = shop.productIds[changes % shop.productIds.length];
      void setup.comanda.pool.query(
        'update products set price = price + 0.01 where location_id = $1 and id = $2',
        [shop.locationId, id],
      );
      await sleep(Math.max(0, start + (changes + 1) * 2 - performance.now()));
    }
    // The last of them arrive.
    await sleep(small ? 500 : 2_000);
    const latencies = (await seen()).latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
    await Promise.all([worker.stop(), api.stop(), consumer.stop()]);
    return [
      {
        ...figureRow(
          'webhooks',
          'webhooks a second, one worker, change to recorded attempt',
          { least: 2_500, unit: '/s' },
          delivered / seconds,
          `${delivered} in ${seconds.toFixed(1)} s; ${attempts} attempts recorded; CPU µs a webhook: ${cpu}`,
        ),
        why: 'webhooks.md',
      },
      figureRow(
        'webhooks',
        'commit to arrival at 500/s, p50',
        { most: 150, unit: ' ms' },
        at(0.5),
        `${latencies.length} webhooks`,
      ),
      figureRow('webhooks', 'commit to arrival at 500/s, p99', { most: 1_000, unit: ' ms' }, at(0.99)),
    ];
  },
};
