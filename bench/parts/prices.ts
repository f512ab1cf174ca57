import pg from 'pg';
import { fillWithOthers } from '../company.ts';
import { threadCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { runSql } from '../place.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** 250 new prices in one statement and transaction, against the same on tables without triggers. */
export const prices: Part = {
  name: 'prices',
  summary: 'change 250 prices in one statement, with all that follows in its transaction',
  async run({ place, small }) {
    await fillWithOthers(place, small);
    const api = await place.startApi();
    const shop = await makeShop(place, api.url, 500);
    await api.stop();
    const changed = (ids: readonly string[]) => ids.slice(0, 250);
    const comanda = await openSide(place.comandaUrl, 'products', shop.locationId, changed(shop.productIds));
    const { location, productIds } = shop.reference;
    const reference = await openSide(place.referenceUrl, 'product', location, changed(productIds));
    const rounds = small ? 2 : 100;
    for (let round = 0; round < rounds; round += 1) {
      await comanda.change();
      await reference.change();
      // What was captured is nobody's here, and the dead rows of either side would slow it down.
      if (round % 20 === 0) {
        await runSql(place.comandaUrl, 'truncate internal.captured_changes');
        for (const url of [place.comandaUrl, place.referenceUrl]) await runSql(url, 'vacuum');
      }
    }
    const [ours, other] = [await comanda.close(), await reference.close()];
    return [
      figureRow(
        'prices',
        'changing 250 prices in one statement: CPU of PostgreSQL ÷ the same without triggers',
        { most: 3, unit: '×' },
        ours.cpuMs / other.cpuMs,
        `${ours.cpuMs.toFixed(1)} ms against ${other.cpuMs.toFixed(1)} ms of CPU; ` +
          `${ours.ms.toFixed(1)} ms against ${other.ms.toFixed(1)} ms, the disk included`,
      ),
    ];
  },
};

/** A connection that changes the prices of these products, each in a transaction of its own. */
async function openSide(
  url: string,
  table: 'product' | 'products',
  location: string,
  ids: readonly string[],
) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const spent = { ms: [] as number[], cpuMs: [] as number[] };
  const query = {
    name: 'change',
    text: `update ${table} set price = price + 0.01 where location_id = $1::uuid and id = any ($2::uuid[])`,
    values: [location, ids],
  };
  return {
    async change() {
      const before = { cpu: threadCpuMs(pid), at: performance.now() };
      const { rowCount } = await client.query(query);
      spent.ms.push(performance.now() - before.at);
      spent.cpuMs.push(threadCpuMs(pid) - before.cpu);
      if (rowCount !== ids.length) throw new Error(`${rowCount} prices of ${ids.length} changed`);
    },
    async close() {
      await client.end();
      return { ms: median(spent.ms), cpuMs: median(spent.cpuMs) };
    },
  };
}
