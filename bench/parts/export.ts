import { get } from 'node:http';
import pg from 'pg';
import { residentMiB } from '../cpu.ts';
import { type History, year } from '../history.ts';
import { median } from '../load.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import type { PartContext } from './part.ts';

/** The cost of one export. */
interface Exported {
  seconds: number;
  firstByteMs: number;
  bytes: number;
  /** The most memory that the process had meanwhile, in MiB. */
  mostMiB: number;
}

/**
 * The export of orders of five items against a raw cursor, and the memory of exporting few and many. Of five items it is
 * what the process takes above what it had before its first export, over all its exports, since what is kept from one to
 * the next counts. Few and many are exported each time in a process of its own, in turns, and all that the process takes
 * is compared: a process that just began varies by more than an export takes (docs/bench/export-memory.md).
 */
export async function measureExports(
  { setup, effort, small, log }: PartContext,
  { rich, middle, many }: Record<'rich' | 'middle' | 'many', History>,
): Promise<Row[]> {
  log('export');
  const api = await setup.startApi();
  const idle = residentMiB(api.pid);
  const exported: Exported[] = [];
  const raw: number[] = [];
  for (let repeat = 0; repeat < effort.repeats; repeat += 1) {
    exported.push(await exportAll(api, rich));
    raw.push(await rawCursor(setup.comandaUrl, rich.locationId));
  }
  await api.stop();
  const alone = async (history: History) => {
    const own = await setup.startApi();
    const before = residentMiB(own.pid);
    const { mostMiB } = await exportAll(own, history);
    await own.stop();
    log(`${history.orders} orders: ${mostMiB.toFixed(0)} MiB, ${before.toFixed(0)} before`);
    return mostMiB;
  };
  const memory: Record<'middle' | 'many', number[]> = { middle: [], many: [] };
  for (let turn = 0; turn < (small ? 1 : 3); turn += 1) {
    memory.middle.push(await alone(middle));
    memory.many.push(await alone(many));
  }
  const most = Math.max(...exported.map(({ mostMiB }) => mostMiB)) - idle;
  const of = (name: keyof Exported) => median(exported.map((one) => one[name]));
  const what = `export of ${rich.orders.toLocaleString('en')} orders of 5 items`;
  const [ofMiddle, ofMany] = [median(memory.middle), median(memory.many)];
  return [
    figureRow(
      'history',
      `${what}: time ÷ raw cursor`,
      { most: 1.3, unit: '×' },
      of('seconds') / median(raw),
      `${of('seconds').toFixed(2)} s, ${(of('bytes') / 1e6).toFixed(0)} MB; raw cursor ${median(raw).toFixed(2)} s`,
    ),
    figureRow('history', `${what}: first byte`, { most: 50, unit: ' ms' }, of('firstByteMs')),
    figureRow('history', `${what}: memory over idle`, { most: 120, unit: ' MiB' }, most),
    figureRow(
      'history',
      `export of ${many.orders.toLocaleString('en')} orders: memory of the process ÷ of ${middle.orders.toLocaleString('en')}`,
      { most: 1.1, unit: '×' },
      ofMany / ofMiddle,
      `${ofMany.toFixed(0)} and ${ofMiddle.toFixed(0)} MiB`,
    ),
  ];
}

function exportAll(api: BenchProcess, { key }: History): Promise<Exported> {
  let mostMiB = residentMiB(api.pid);
  const watch = setInterval(() => {
    mostMiB = Math.max(mostMiB, residentMiB(api.pid));
  }, 20);
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const path = `/v2/orders/export?from=${year.from}&to=${year.to}`;
    const request = get(
      api.url + path,
      { headers: { authorization: `Bearer ${key}` }, agent: false },
      (answer) => {
        let bytes = 0;
        let firstByteMs = 0;
        answer.on('data', (chunk: Buffer) => {
          if (bytes === 0) firstByteMs = performance.now() - began;
          bytes += chunk.length;
        });
        answer.on('end', () => {
          clearInterval(watch);
          if (answer.statusCode !== 200 || !answer.complete)
            return reject(new Error(`export: ${answer.statusCode}`));
          const seconds = (performance.now() - began) / 1000;
          return resolve({ seconds, firstByteMs, bytes, mostMiB });
        });
      },
    );
    request.on('error', reject);
  });
}

/** Reads the same orders as text through a cursor, five hundred at a time, and sends them nowhere. */
async function rawCursor(url: string, locationId: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const began = performance.now();
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local enable_sort = off');
    await client.query(
      `declare raw cursor for select j.doc from orders o, lateral orders_json(o.location_id, array[o.id]) j
       where o.location_id = '${locationId}' order by o.created_at, o.id`,
    );
    for (;;) {
      const { rowCount } = await client.query({ name: 'fetch_raw', text: 'fetch 500 from raw' });
      if (rowCount === 0) break;
    }
    return (performance.now() - began) / 1000;
  } finally {
    await client.end();
  }
}
