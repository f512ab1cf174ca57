import pg from 'pg';
import { fillWithOthers } from '../company.ts';
import { threadCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { runSql } from '../setup.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/**
 * 250 new prices in one statement and transaction: as the service, and by hand with its audit entry, each against the
 * same rows and indexes without triggers. The figures of a manually written table with fewer indexes are in the note.
 */
export const prices: Part = {
  name: 'prices',
  summary: 'change 250 prices in one statement, with all that follows in its transaction',
  async run({ setup, small }) {
    await fillWithOthers(setup, small);
    const api = await setup.startApi();
    const shop = await makeShop(setup, api.url, 500);
    await api.stop();
    const ids = shop.productIds.slice(0, 250);
    const products = { url: setup.comandaUrl, table: 'products', location: shop.locationId, ids } as const;
    const service = await openSide({ ...products, name: 'comanda-bench' });
    const hand = await openSide({ ...products, name: 'psql' });
    const bare = await openSide({ ...products, name: 'comanda-bench', triggers: false });
    const reference = await openSide({
      url: setup.referenceUrl,
      table: 'product',
      location: shop.reference.location,
      ids: shop.reference.productIds.slice(0, 250),
      name: 'reference',
    });
    for (let round = 0; round < (small ? 2 : 100); round += 1) {
      for (const side of [service, hand, bare, reference]) await side.change();
      // The captured changes have no reader here, and the dead rows of either side would slow it down.
      if (round % 10 === 0) {
        await runSql(setup.comandaUrl, 'truncate internal.captured_changes');
        for (const url of [setup.comandaUrl, setup.referenceUrl]) await runSql(url, 'vacuum');
      }
    }
    const [without, other] = [await bare.close(), await reference.close()];
    const row = (who: string, most: number, { cpuMs, ms }: Spent, note: string) =>
      figureRow(
        'prices',
        `changing 250 prices in one statement${who}: CPU of PostgreSQL ÷ the same without triggers`,
        { most, unit: '×' },
        cpuMs / without.cpuMs,
        `${cpuMs.toFixed(1)} ms of CPU against ${without.cpuMs.toFixed(1)}${note}; ${ms.toFixed(1)} ms, the disk included`,
      );
    return [
      row('', 2.5, await service.close(), `, and ${other.cpuMs.toFixed(1)} on a table with fewer indexes`),
      row(' by hand', 6, await hand.close(), ', its audit entry with 100 of the rows included'),
    ];
  },
};

/** Medians, in milliseconds. */
interface Spent {
  ms: number;
  cpuMs: number;
}

interface SideOptions {
  url: string;
  table: 'product' | 'products';
  location: string;
  ids: readonly string[];
  /** Its application_name, with which guards recognize the service. */
  name: string;
  triggers?: boolean;
}

/** A connection that changes the prices of these products, each in a transaction of its own. */
async function openSide({ url, table, location, ids, name, triggers = true }: SideOptions) {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect();
  if (!triggers) await client.query('set session_replication_role = replica');
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
    async close(): Promise<Spent> {
      await client.end();
      return { ms: median(spent.ms), cpuMs: median(spent.cpuMs) };
    },
  };
}
