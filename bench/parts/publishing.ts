import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithOthers } from '../company.ts';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeTenant, type Setup } from '../setup.ts';
import { sliceCores } from '../slices.ts';
import type { Part, PartContext } from './part.ts';

/**
 * The cost of publishing by itself: changes of products at four new locations of a filled database, and no endpoint.
 */
export const publishing: Part = {
  name: 'publishing',
  summary: 'publish captured changes: CPU of the worker and of PostgreSQL',
  async run(context) {
    const { setup, small, log } = context;
    await fillWithOthers(setup, small);
    const each = small ? 50 : 2_000;
    const { pool } = setup.comanda;
    const locations: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { locationId } = await makeTenant(setup);
      await pool.query(
        `insert into products (location_id, sku, name, price) select $1, 's' || n, 'Product ' || n, 1 from generate_series(1, $2::int) n`,
        [locationId, each],
      );
      locations.push(locationId);
    }
    const worker = await setup.startWorker();
    await published(setup);
    const rounds = small ? 1 : 5;
    let changing = 0;
    const before = { worker: processCpuMs(worker.pid), postgres: serverCpuMs(setup.postmaster) };
    for (let round = 0; round <= rounds; round += 1) {
      // The first is for warming up.
      if (round === 1)
        Object.assign(before, { worker: processCpuMs(worker.pid), postgres: serverCpuMs(setup.postmaster) });
      const since = serverCpuMs(setup.postmaster);
      await change(setup, locations);
      if (round > 0) changing += serverCpuMs(setup.postmaster) - since;
      await published(setup);
    }
    const changes = rounds * locations.length * each;
    const workerMs = processCpuMs(worker.pid) - before.worker;
    const postgresMs = serverCpuMs(setup.postmaster) - before.postgres;
    log(
      `the changes themselves, with what the relay did meanwhile: ${((changing * 1000) / changes).toFixed(0)} µs each`,
    );
    await worker.stop();
    const alone: number[] = [];
    const shared: number[] = [];
    for (let turn = 0; turn < (small ? 1 : 3); turn += 1) {
      alone.push(await publishedBy(1, locations, each, context));
      shared.push(await publishedBy(2, locations, each, context));
    }
    return [
      figureRow(
        'publishing',
        'changes published per CPU second of the worker',
        { least: 8_000, unit: '/s' },
        (changes * 1000) / workerMs,
        `${changes} changes; µs a change: worker ${((workerMs * 1000) / changes).toFixed(0)}, ` +
          `PostgreSQL ${((postgresMs * 1000) / changes).toFixed(0)}, the change itself included`,
      ),
      figureRow(
        'publishing',
        'two workers: changes published a second ÷ those of one',
        { least: 1.7, unit: '×' },
        median(shared) / median(alone),
        `each on a fifth of a core: ${median(alone).toFixed(0)}/s, then ${median(shared).toFixed(0)}/s`,
      ),
    ];
  },
};

/** Changes every product of the locations. */
async function change({ comanda: { pool } }: Setup, locations: readonly string[]): Promise<void> {
  for (const locationId of locations)
    await pool.query('update products set price = price + 0.01 where location_id = $1', [locationId]);
}

/** Waits until every change is published. */
async function published({ comanda: { pool } }: Setup): Promise<void> {
  while ((await pool.query('select from internal.captured_changes limit 1')).rows.length > 0) await sleep(20);
}

/** Changes a second that so many workers publish at these locations of `each` products, each on a fifth of a core. */
async function publishedBy(
  count: number,
  locations: readonly string[],
  each: number,
  { setup, small, log }: PartContext,
): Promise<number> {
  const workers = await Promise.all(Array.from({ length: count }, () => setup.startWorker()));
  // For warming up.
  await change(setup, locations);
  await published(setup);
  const rounds = small ? 1 : 5;
  const used = workers.map(({ pid }) => processCpuMs(pid));
  const release = sliceCores(workers.map(({ pid }) => pid));
  const began = performance.now();
  try {
    for (let round = 0; round < rounds; round += 1) await change(setup, locations);
    await published(setup);
  } finally {
    release();
  }
  const seconds = (performance.now() - began) / 1_000;
  const changes = rounds * locations.length * each;
  const cpu = workers.map(({ pid }, index) => processCpuMs(pid) - (used[index] ?? 0));
  log(
    `${count}: ${(changes / seconds).toFixed(0)}/s, CPU of each ${cpu.join(', ')} ms for ${changes} changes`,
  );
  await Promise.all(workers.map((worker) => worker.stop()));
  return changes / seconds;
}
