import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe } from '../neighbours/endpoints.ts';
import { type BenchProcess, startBundle } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import { makeTenant, runSql, type Setup } from '../setup.ts';
import { makeShop, type Shop } from '../shop.ts';
import { type Driven, drive, rest } from '../trickle/drive.ts';
import { orderSteps, outboxSteps, priceSteps, type Step } from '../trickle/steps.ts';
import type { Part, PartContext } from './part.ts';

/**
 * Changes that come one by one: new prices, each two events (the product's and the catalog's), and orders that are made, ready and
 * closed, for an endpoint of their location. A burst shares the work of a round among thousands of changes; here a round has few.
 */
export const trickle: Part = {
  name: 'trickle',
  summary: 'prices and orders one by one, at rest, in a burst and in an outbox of one table: CPU and arrival',
  async run(context) {
    const { setup, small, log } = context;
    const consumer = await setup.startConsumer();
    const [api, worker] = await Promise.all([setup.startApi(), setup.startWorker()]);
    const shops = await openShops(setup, { api, consumer }, small ? [3, 1] : [300, 700]);
    await setup.comanda.pool.query('vacuum analyze');
    const driven: Driven = { setup, consumer, processes: { API: api, worker } };
    const seconds = small ? 1 : 20;
    // Plans, connections, compiled code.
    await drive(driven, { perSecond: 50, seconds, step: priceSteps(api.url, shops) });
    await drive(driven, { perSecond: 50, seconds, step: orderSteps(api.url, shops) });
    const rows: Row[] = [];
    const take = (found: readonly Row[]) => {
      for (const { work, figure, note } of found) log(`${work}: ${figure}; ${note}`);
      rows.push(...found);
    };
    for (const { perSecond, most, arrivalMs } of rates)
      for (const locations of small ? [2] : [1, 50, 300])
        for (const [work, steps] of works) {
          const step = steps(api.url, shops.slice(0, locations));
          take(await measure(driven, { work, perSecond, locations, seconds, step, most, arrivalMs }));
        }
    take([await atRest(driven, small)]);
    take([await inABurst(driven, shops)]);
    await Promise.all([worker.stop(), api.stop()]);
    take(await inAnOutbox({ context, consumer, shops, seconds }));
    await consumer.stop();
    return rows;
  },
};

/** Changes a second, the CPU that one may take, and the 99th percentile of arrival: the contract normally has 300 ms. */
const rates = [
  { perSecond: 1, most: 30, arrivalMs: 300 },
  { perSecond: 10, most: 9, arrivalMs: 300 },
  { perSecond: 50, most: 5, arrivalMs: 250 },
] as const;

const works = [
  ['price changes', priceSteps],
  ['steps of orders', orderSteps],
] as const;

const heard = [
  ...['product.updated', 'catalog.updated', 'stock.updated'],
  ...['order.created', 'order.status_changed', 'order.completed'],
];

/** Locations of ten products in ten categories, and as many more without any; each has an endpoint. */
async function openShops(
  setup: Setup,
  { api, consumer }: { api: BenchProcess; consumer: BenchProcess },
  [worked, quiet]: readonly [number, number],
): Promise<Shop[]> {
  const hear = (key: string) => subscribe({ apiUrl: api.url }, { key }, `${consumer.url}/hook`, heard);
  const shops: Shop[] = [];
  for (let index = 0; index < worked; index += 1) {
    const shop = await makeShop(setup, api.url, 10);
    await hear(shop.key);
    shops.push(shop);
  }
  for (let index = 0; index < quiet; index += 1) await hear((await makeTenant(setup)).key);
  return shops;
}

interface Measured {
  work: string;
  perSecond: number;
  locations: number;
  seconds: number;
  step: Step;
  most: number;
  arrivalMs: number;
}

async function measure(driven: Driven, measured: Measured): Promise<Row[]> {
  const { perSecond, locations, seconds, step, most, arrivalMs } = measured;
  const { cpuMs, webhooks, latencies } = await drive(driven, { perSecond, seconds, step });
  const work = `${measured.work}, ${perSecond} a second over ${locations} ${locations === 1 ? 'location' : 'locations'}`;
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return [
    {
      ...figureRow(
        'trickle',
        `${work}: CPU of a change`,
        { most, unit: ' ms' },
        sum(cpuMs),
        `${named(cpuMs)}; ${perSecond * seconds} changes, ${webhooks} webhooks`,
      ),
      why: 'trickle.md',
    },
    figureRow(
      'trickle',
      `${work}: commit to arrival, p99`,
      { most: arrivalMs, unit: ' ms' },
      at(0.99),
      `p50 ${at(0.5)} ms`,
    ),
  ];
}

async function atRest(driven: Driven, small: boolean): Promise<Row> {
  // Kept connections to endpoints close after 65 s.
  await sleep(small ? 100 : 70_000);
  const cpuMs = await rest(driven, small ? 1 : 30);
  return figureRow(
    'trickle',
    `a second at rest, ${small ? 4 : '1,000'} locations with an endpoint each: CPU`,
    { most: 12, unit: ' ms' },
    sum(cpuMs),
    named(cpuMs),
  );
}

/** Ten prices at each of 200 locations, in one statement: the CPU of a webhook, the statement included. */
async function inABurst(driven: Driven, shops: readonly Shop[]): Promise<Row> {
  const ids = shops.slice(0, 200).map(({ locationId }) => locationId);
  const step = async () => {
    await runSql(
      driven.setup.comandaUrl,
      'update products set price = price + 0.01 where location_id = any ($1::uuid[])',
      [ids],
    );
  };
  const { cpuMs, webhooks } = await drive(driven, { perSecond: 1, seconds: 3, step });
  const each = Object.fromEntries(Object.entries(cpuMs).map(([name, ms]) => [name, (ms * 3) / webhooks]));
  return figureRow(
    'trickle',
    `ten prices at each of ${ids.length} locations in one statement: CPU of a webhook`,
    { most: 0.6, unit: ' ms' },
    sum(each),
    `${named(each)}; ${webhooks} webhooks`,
  );
}

interface Outbox {
  context: PartContext;
  consumer: BenchProcess;
  shops: readonly Shop[];
  seconds: number;
}

/** The same price changes in an outbox of one table, for comparison; Comanda's processes are stopped. */
async function inAnOutbox({ context, consumer, shops, seconds }: Outbox): Promise<Row[]> {
  const { setup, small } = context;
  const outbox = await startBundle(
    'outbox',
    { DATABASE_URL: setup.referenceUrl, CONSUMER_URL: `${consumer.url}/hook` },
    `${setup.directory}/outbox.log`,
  );
  const delivered = async () => {
    for (;;) {
      const [row] = await runSql(setup.referenceUrl, 'select count(*)::int as left from outbox');
      if (row?.left === 0) return;
      await sleep(20);
    }
  };
  const driven: Driven = { setup, consumer, processes: { outbox }, delivered };
  const step = outboxSteps(outbox.url, shops);
  await drive(driven, { perSecond: 50, seconds: small ? 1 : 5, step });
  const rows: Row[] = [];
  for (const { perSecond, most, arrivalMs } of rates.filter((rate) => rate.perSecond > 1)) {
    const work = 'price changes in an outbox of one table';
    const locations = shops.length;
    rows.push(...(await measure(driven, { work, perSecond, locations, seconds, step, most, arrivalMs })));
  }
  await outbox.stop();
  return rows;
}

const sum = (of: Readonly<Record<string, number>>) => Object.values(of).reduce((all, ms) => all + ms, 0);

const named = (of: Readonly<Record<string, number>>) =>
  Object.entries(of)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(', ');
