import { get } from 'node:http';
import pg from 'pg';
import { residentMiB } from '../cpu.ts';
import { type History, year } from '../history.ts';
import { median } from '../load.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import type { PartContext } from './part.ts';

/** What one export cost. */
interface Exported {
  seconds: number;
  firstByteMs: number;
  bytes: number;
  /** The most memory above what the process had before its first export, in MiB. */
  aboveIdleMiB: number;
}

/**
 * The export of 100,000 orders against a raw cursor, and its memory at ten times as many. Memory is what a process of its
 * own takes above what it had before its first export: what it keeps from one export to the next counts.
 */
export async function measureExports(
  { place, effort, log }: PartContext,
  middle: History,
  many: History,
): Promise<Row[]> {
  log('export');
  const api = await place.startApi();
  const idle = residentMiB(api.pid);
  const exported: Exported[] = [];
  const raw: number[] = [];
  for (let repeat = 0; repeat < effort.repeats; repeat += 1) {
    exported.push(await exportAll(api, middle, idle));
    raw.push(await rawCursor(place.comandaUrl, middle.locationId));
  }
  const large = await exportAll(api, many, idle);
  await api.stop();
  const most = Math.max(...exported.map(({ aboveIdleMiB }) => aboveIdleMiB));
  const of = (name: keyof Exported) => median(exported.map((one) => one[name]));
  const what = `export of ${middle.orders.toLocaleString('en')} orders with 3 items`;
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
      `export of ${many.orders.toLocaleString('en')} orders: memory ÷ that of ${middle.orders.toLocaleString('en')}`,
      { most: 1.1, unit: '×' },
      large.aboveIdleMiB / most,
      `${large.aboveIdleMiB.toFixed(0)} MiB, ${large.seconds.toFixed(1)} s`,
    ),
  ];
}

function exportAll(api: BenchProcess, { key }: History, idle: number): Promise<Exported> {
  let highest = idle;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMiB(api.pid));
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
          return resolve({ seconds, firstByteMs, bytes, aboveIdleMiB: highest - idle });
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
