import { setTimeout as sleep } from 'node:timers/promises';
import { settled, subscribe } from '../calls.ts';
import { percentile } from '../figure.ts';
import { fillWithCompany, makeShop } from '../fill.ts';

import type { Part } from '../part.ts';

/** Webhooks of a new location of a filled database, to a consumer on this machine: how many a second, and how long after the commit. */
export const webhooks: Part = {
  name: 'webhooks',
  summary: 'webhooks to a local consumer: how many a second, and commit to arrival',
  rounds: 4,
  async open({ subject, small, log }) {
    await fillWithCompany(subject, small);
    const [consumer, api] = await Promise.all([
      subject.startConsumer(),
      subject.startApi(),
      subject.startWorker(),
    ]);
    const shop = await makeShop(subject, api.url, small ? 100 : 2_000);
    await subscribe(api.url, shop.key, `${consumer.url}/hook`, ['product.updated']);
    await settled(subject);
    const { pool } = subject.database;
    const seen = async () =>
      (await (await fetch(consumer.url)).json()) as { received: number; latencies: number[] };
    const change = (ids: readonly string[]) =>
      pool.query('update products set price = price + 0.01 where location_id = $1 and id = any ($2)', [
        shop.locationId,
        ids,
      ]);

    const burst = async () => {
      log('a burst');
      const times = small ? 2 : 5;
      const { received } = await seen();
      const before = subject.cpuMs();
      const began = performance.now();
      for (let time = 0; time < times; time += 1) await change(shop.productIds);
      await settled(subject);
      const seconds = (performance.now() - began) / 1_000;
      const cpu = subject.cpuMs();
      const delivered = (await seen()).received - received;
      if (delivered !== times * shop.productIds.length) throw new Error(`${delivered} webhooks arrived`);
      const us = (name: 'postgres' | 'worker') => ((cpu[name] - before[name]) * 1_000) / delivered;
      const work = 'webhooks of one worker, from the change to the recorded attempt';
      const note = `${delivered} in ${seconds.toFixed(1)} s`;
      return [
        {
          work,
          value: delivered / seconds,
          unit: '/s',
          goal: { least: 2_500 },
          note,
          why: 'webhooks.md',
        },
        { work: 'CPU of a webhook: worker', value: us('worker'), unit: ' µs' },
        { work: 'CPU of a webhook: PostgreSQL, with the change', value: us('postgres'), unit: ' µs' },
      ];
    };

    const arrival = async () => {
      log('500 changes a second');
      await seen();
      const lastsMs = small ? 1_000 : 10_000;
      const began = performance.now();
      for (let changes = 0; performance.now() - began < lastsMs; changes += 1) {
        void change([shop.productIds[changes % shop.productIds.length] ?? '']);
        await sleep(Math.max(0, began + (changes + 1) * 2 - performance.now()));
      }
      await settled(subject);
      const { latencies } = await seen();
      const work = 'commit to arrival at 500 changes a second';
      const note = `${latencies.length} webhooks`;
      return [
        { work: `${work}, p50`, value: percentile(latencies, 0.5), unit: ' ms', goal: { most: 150 }, note },
        {
          work: `${work}, p99`,
          value: percentile(latencies, 0.99),
          unit: ' ms',
          goal: { most: 1_000 },
          note,
        },
      ];
    };

    return async () => [...(await burst()), ...(await arrival())];
  },
};
