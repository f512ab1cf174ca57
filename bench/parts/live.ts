import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithNeighbours, type Other } from '../company.ts';
import { processCpuMs, residentMiB, serverCpuMs } from '../cpu.ts';
import { inLanes, type Sent, sendTo, settled } from '../operations/stage.ts';
import { figureRow } from '../result.ts';
import type { Setup } from '../setup.ts';
import type { Part } from './part.ts';

/** Ten streams each of 200 locations: how long after its change an event is on the screen, and what an open stream takes. */
export const live: Part = {
  name: 'live',
  summary: 'streams of events: change to screen, memory and CPU of an open stream',
  async run({ setup, small, log }) {
    const shops = await fillWithNeighbours(setup, small ? 3 : 200, small ? 6 : 40);
    const [api, worker] = await Promise.all([setup.startApi(), setup.startWorker()]);
    const cpu = () => processCpuMs(api.pid) + processCpuMs(worker.pid) + serverCpuMs(setup.postmaster);
    // The cost of the first calls and the first stream is not the streams'.
    const first = await openStream(api.url, shops[0]);
    for (let n = 0; n < (small ? 3 : 100); n += 1) await reprice(api.url, shops, n);
    await settled(setup);
    const idleMiB = residentMiB(api.pid);
    const resting = async () => {
      const before = cpu();
      await sleep(small ? 200 : 10_000);
      return cpu() - before;
    };
    const idleMs = await resting();

    log('opening');
    const each = small ? 2 : 10;
    const wanted = shops.flatMap((shop, at) =>
      Array.from({ length: at === 0 ? each - 1 : each }, () => shop),
    );
    const streams = [first, ...(await inLanes(wanted.length, (at) => openStream(api.url, wanted[at])))];
    await sleep(small ? 100 : 3_000);
    const openMiB = residentMiB(api.pid);
    const quietMs = await resting();

    log('100 events a second');
    for (const stream of streams) stream.latencies.length = 0;
    const changes = small ? 20 : 1_500;
    const loadBefore = cpu();
    const start = performance.now();
    const asked: Promise<void>[] = [];
    // A product's new price is two events: of the product and of the catalog.
    for (let n = 0; n < changes; n += 1) {
      asked.push(reprice(api.url, shops, n));
      await sleep(Math.max(0, start + (n + 1) * 20 - performance.now()));
    }
    await Promise.all(asked);
    await settled(setup);
    await sleep(1_000);
    const loadMs = cpu() - loadBefore;
    const latencies = streams.flatMap((stream) => stream.latencies).sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;

    log('keys are revoked');
    const ends: number[] = [];
    for (const shop of shops.slice(0, small ? 1 : 20))
      ends.push(
        ...(await endsOf(
          setup,
          streams.filter(({ key }) => key === shop.key),
          shop,
        )),
      );
    for (const stream of streams) stream.close();
    await Promise.all([api.stop(), worker.stop()]);
    const missing = changes * each - latencies.length;
    if (missing > 0) throw new Error(`${missing} events never reached the screen`);
    const kib = ((openMiB - idleMiB) * 1024) / streams.length;
    return [
      figureRow(
        'live',
        `${streams.length.toLocaleString('en')} streams of ${shops.length} locations, 100 events a second: change to screen, p99`,
        { most: 300, unit: ' ms' },
        at(0.99),
        `p50 ${at(0.5).toFixed(0)} ms; ${latencies.length} events seen; CPU µs an event seen: ${((loadMs * 1000) / latencies.length / 2).toFixed(0)}`,
      ),
      figureRow(
        'live',
        'memory of an open stream',
        { most: 64, unit: ' KiB' },
        kib,
        `API ${openMiB.toFixed(0)} MiB`,
      ),
      figureRow(
        'live',
        'a key is revoked: all of its streams have ended, longest',
        { most: 1_000, unit: ' ms' },
        Math.max(...ends),
        `${ends.length} streams`,
      ),
      figureRow(
        'live',
        'CPU of all streams while nothing happens, beyond that of one',
        { most: 5, unit: '% of a core' },
        (quietMs - idleMs) / (small ? 2 : 100),
        `API, worker and PostgreSQL; with one stream ${(idleMs / (small ? 2 : 100)).toFixed(1)} %`,
      ),
    ];
  },
};

interface Stream {
  key: string;
  /** The moment at which the service ended it, of `performance.now()`. */
  ended: Promise<number>;
  /** From the transaction of a change to its arrival, in milliseconds; of `product.updated` alone. */
  latencies: number[];
  close(): void;
}

function openStream(url: string, shop: Other | undefined): Promise<Stream> {
  if (shop === undefined) throw new Error('there is no shop');
  const latencies: number[] = [];
  return new Promise((resolve, reject) => {
    const request = get(
      `${url}/v2/events/stream`,
      { headers: { authorization: `Bearer ${shop.key}` }, agent: false },
      (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`a stream answered ${answer.statusCode}`));
        let unread = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          const now = Date.now();
          const blocks = (unread + text).split('\n\n');
          unread = blocks.pop() ?? '';
          for (const block of blocks) {
            const [, made] = /^event: product\.updated\ndata: .*?"created_at":"([^"]+)"/m.exec(block) ?? [];
            if (made !== undefined) latencies.push(now - Date.parse(made));
          }
        });
        answer.on('error', () => {});
        const ended = new Promise<number>((over) => answer.on('end', () => over(performance.now())));
        resolve({ key: shop.key, ended, latencies, close: () => request.destroy() });
      },
    );
    request.on('error', reject);
  });
}

/** Revokes the only key of a shop; how long each of its streams goes on, in milliseconds. */
async function endsOf(
  { comanda }: Setup,
  streams: readonly Stream[],
  { locationId }: Other,
): Promise<number[]> {
  const began = performance.now();
  await comanda.pool.query('update api_keys set revoked_at = now() where location_id = $1', [locationId]);
  return Promise.all(streams.map(async ({ ended }) => (await ended) - began));
}

/** Never the one before: a write that changes nothing publishes nothing. */
const nextPrice = (): number => 200 + (++prices % 50_000);
let prices = 0;

async function reprice(url: string, shops: readonly Other[], n: number): Promise<void> {
  const shop = shops[n % shops.length];
  const round = Math.floor(n / shops.length);
  const id = shop?.productIds[round % shop.productIds.length];
  if (shop === undefined || id === undefined) throw new Error('there is no product');
  const sent: Sent = { method: 'PATCH', path: `/v2/products/${id}`, body: { price: nextPrice() } };
  await sendTo(url, sent, shop.key);
}
