import { setTimeout as sleep } from 'node:timers/promises';
import { exactCpuMs, serverThreadsMs } from '../cpu.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import type { Setup } from '../setup.ts';
import { makeShop, type Shop } from '../shop.ts';
import type { Part, PartContext } from './part.ts';

/**
 * Changes that come one by one: new prices through the API, each two events (the product's and the catalog's) for the endpoint of
 * its location. A burst shares the work of a round among thousands of changes; here a round has few.
 */
export const trickle: Part = {
  name: 'trickle',
  summary: 'price changes one by one: CPU of API, worker and PostgreSQL, and commit to arrival',
  async run(context) {
    const { setup, small } = context;
    const [consumer, api, worker] = await Promise.all([
      setup.startConsumer(),
      setup.startApi(),
      setup.startWorker(),
    ]);
    const shops: Shop[] = [];
    for (let index = 0; index < (small ? 3 : 50); index += 1)
      shops.push(await openShop(setup, api.url, consumer.url));
    await setup.comanda.pool.query('vacuum analyze');
    let price = 100;
    const newPrice = () => {
      price += 1;
      return price;
    };
    const stage: Stage = { setup, consumer, api, worker, newPrice };
    // The first is for warming up: plans, connections, compiled code.
    await changePrices(context, stage, { shops, perSecond: 50 });
    const rows: Row[] = [];
    for (const load of loads)
      rows.push(
        ...(await measure(context, stage, { ...load, shops: shops.slice(0, load.locations) }, load.most)),
      );
    await Promise.all([worker.stop(), api.stop(), consumer.stop()]);
    return rows;
  },
};

const loads = [
  { perSecond: 10, locations: 1, most: 10 },
  { perSecond: 10, locations: 50, most: 10 },
  { perSecond: 50, locations: 1, most: 6 },
  { perSecond: 50, locations: 50, most: 6 },
] as const;

/** Events that each change publishes. */
const eventsOfOne = 2;
/** The contract: an event is published, normally, within so long. */
const promisedMs = 300;

interface Stage {
  setup: Setup;
  consumer: BenchProcess;
  api: BenchProcess;
  worker: BenchProcess;
  /** A price that nothing has had yet, so that each change is one. */
  newPrice(): number;
}

interface Load {
  shops: readonly Shop[];
  perSecond: number;
}

/** A location of ten products in ten categories, whose endpoint hears of both. */
async function openShop(setup: Setup, apiUrl: string, consumerUrl: string): Promise<Shop> {
  const shop = await makeShop(setup, apiUrl, 10);
  const answer = await fetch(`${apiUrl}/v2/webhook-endpoints`, {
    method: 'POST',
    headers: shop.headers,
    body: JSON.stringify({ url: `${consumerUrl}/hook`, events: ['product.updated', 'catalog.updated'] }),
  });
  if (answer.status !== 201) throw new Error(`webhook endpoint answered ${answer.status}`);
  return shop;
}

async function measure(context: PartContext, stage: Stage, load: Load, most: number): Promise<Row[]> {
  const before = cpuMs(stage);
  const { changes, latencies } = await changePrices(context, stage, load);
  const after = cpuMs(stage);
  const each = (name: keyof typeof before) => (after[name] - before[name]) / changes;
  const parts = (['API', 'worker', 'PostgreSQL'] as const).map((name) => `${name} ${each(name).toFixed(2)}`);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  const work = `price changes, ${load.perSecond} a second over ${load.shops.length} ${load.shops.length === 1 ? 'location' : 'locations'}`;
  const total = each('API') + each('worker') + each('PostgreSQL');
  return [
    figureRow(
      'trickle',
      `${work}: CPU of a change`,
      { most, unit: ' ms' },
      total,
      `${parts.join(', ')}; ${changes} changes, ${latencies.length} webhooks`,
    ),
    figureRow(
      'trickle',
      `${work}: commit to arrival, p99`,
      { most: promisedMs, unit: ' ms' },
      at(0.99),
      `p50 ${at(0.5)} ms`,
    ),
  ];
}

const cpuMs = ({ api, worker, setup }: Stage) => ({
  API: exactCpuMs(api.pid),
  worker: exactCpuMs(worker.pid),
  PostgreSQL: serverThreadsMs(setup.postmaster),
});

/** Changes prices at fixed times, in turn at each shop, and waits until all of it has arrived; how long each took, in rising order. */
async function changePrices(
  { small }: PartContext,
  { api, consumer, newPrice }: Stage,
  { shops, perSecond }: Load,
): Promise<{ changes: number; latencies: number[] }> {
  const seen = async () =>
    (await (await fetch(consumer.url)).json()) as { received: number; latencies: number[] };
  const { received } = await seen();
  const changes = perSecond * (small ? 1 : 20);
  const expected = received + changes * eventsOfOne;
  const calls: Promise<void>[] = [];
  const began = performance.now();
  for (let change = 0; change < changes; change += 1) {
    const shop = shops[change % shops.length];
    if (shop !== undefined) {
      const call = changePrice(api.url, shop, Math.floor(change / shops.length), newPrice());
      call.catch(() => {});
      calls.push(call);
    }
    await sleep(Math.max(0, began + ((change + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(calls);
  const latencies: number[] = [];
  const giveUpAt = performance.now() + 30_000;
  for (;;) {
    const now = await seen();
    latencies.push(...now.latencies);
    if (now.received >= expected) break;
    if (performance.now() > giveUpAt) throw new Error(`${expected - now.received} webhooks did not arrive`);
    await sleep(20);
  }
  // The last attempts are recorded some milliseconds after they arrive.
  await sleep(200);
  return { changes, latencies: latencies.sort((a, b) => a - b) };
}

async function changePrice(
  url: string,
  { headers, productIds }: Shop,
  turn: number,
  price: number,
): Promise<void> {
  const answer = await fetch(`${url}/v2/products/${productIds[turn % productIds.length]}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ price }),
  });
  if (answer.status !== 200)
    throw new Error(`a price change answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}
