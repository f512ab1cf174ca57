import pg from 'pg';
import { fillWithOthers } from '../company.ts';
import { threadCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { runSql } from '../place.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** Two hundred and fifty new prices in one statement, against the same on tables without triggers. */
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
        await runSql(place.comandaUrl, 'truncate captured_changes');
        await runSql(place.comandaUrl, 'vacuum products');
        await runSql(place.referenceUrl, 'vacuum product');
      }
    }
    const [ours, other] = [await comanda.close(), await reference.close()];
    return [
      figureRow(
        'prices',
        'changing 250 prices in one statement: time ÷ the same without triggers',
        { most: 9, unit: '×' },
        ours.ms / other.ms,
        `${ours.ms.toFixed(1)} ms against ${other.ms.toFixed(1)} ms; ` +
          `CPU of PostgreSQL ${ours.cpuMs.toFixed(1)} ms against ${other.cpuMs.toFixed(1)} ms`,
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
  const spent: number[] = [];
  const query = {
    name: 'change',
    text: `update ${table} set price = price + 0.01 where location_id = $1::uuid and id = any ($2::uuid[])`,
    values: [location, ids],
  };
  const before = threadCpuMs(pid);
  return {
    async change() {
      const began = performance.now();
      const { rowCount } = await client.query(query);
      spent.push(performance.now() - began);
      if (rowCount !== ids.length) throw new Error(`${rowCount} prices of ${ids.length} changed`);
    },
    async close() {
      const cpuMs = (threadCpuMs(pid) - before) / spent.length;
      await client.end();
      return { ms: median(spent), cpuMs };
    },
  };
}
