import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithOthers } from '../company.ts';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { makeTenant } from '../place.ts';
import { figureRow } from '../result.ts';
import type { Part } from './part.ts';

/** What publishing costs by itself: changes of products at four new locations of a filled database, and no endpoint. */
export const publishing: Part = {
  name: 'publishing',
  summary: 'publish captured changes: CPU of the worker and of PostgreSQL',
  async run({ place, small, log }) {
    await fillWithOthers(place, small);
    const each = small ? 50 : 2_000;
    const { pool } = place.comanda;
    const locations: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { locationId } = await makeTenant(place);
      await pool.query(
        `insert into products (location_id, sku, name, price) select $1, 's' || n, 'Product ' || n, 1 from generate_series(1, $2::int) n`,
        [locationId, each],
      );
      locations.push(locationId);
    }
    const worker = await place.startWorker();
    const published = async () => {
      while ((await pool.query('select from internal.captured_changes limit 1')).rows.length > 0)
        await sleep(20);
    };
    await published();
    const rounds = small ? 1 : 5;
    let changing = 0;
    const before = { worker: processCpuMs(worker.pid), postgres: serverCpuMs(place.postmaster) };
    for (let round = 0; round <= rounds; round += 1) {
      // The first is for warming up.
      if (round === 1)
        Object.assign(before, { worker: processCpuMs(worker.pid), postgres: serverCpuMs(place.postmaster) });
      const since = serverCpuMs(place.postmaster);
      for (const locationId of locations)
        await pool.query('update products set price = price + 0.01 where location_id = $1', [locationId]);
      if (round > 0) changing += serverCpuMs(place.postmaster) - since;
      await published();
    }
    const changes = rounds * locations.length * each;
    const workerMs = processCpuMs(worker.pid) - before.worker;
    const postgresMs = serverCpuMs(place.postmaster) - before.postgres;
    log(
      `the changes themselves, with what the relay did meanwhile: ${((changing * 1000) / changes).toFixed(0)} µs each`,
    );
    await worker.stop();
    return [
      figureRow(
        'publishing',
        'changes published per CPU second of the worker',
        { least: 8_000, unit: '/s' },
        (changes * 1000) / workerMs,
        `${changes} changes; µs a change: worker ${((workerMs * 1000) / changes).toFixed(0)}, ` +
          `PostgreSQL ${((postgresMs * 1000) / changes).toFixed(0)}, the change itself included`,
      ),
    ];
  },
};
