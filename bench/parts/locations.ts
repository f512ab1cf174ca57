import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithNeighbours, fillWithOthers, type Other } from '../company.ts';
import { residentMiB } from '../cpu.ts';
import { idleServiceCpu, type ServiceCpu, serviceCpuMs } from '../operations/service-cpu.ts';
import { idOf, inLanes, orderOf, type Sent, sendTo, settled } from '../operations/stage.ts';
import type { BenchProcess } from '../processes.ts';
import { type Cost, figureRow, type Row } from '../result.ts';
import type { Setup } from '../setup.ts';
import type { Part, PartContext } from './part.ts';

/** The same load over 8 and over 1,000 locations of one filled database, in turns. */
export const locations: Part = {
  name: 'locations',
  summary: 'the same load over 1,000 locations instead of 8',
  async run(context) {
    const { setup, small, log } = context;
    await fillWithOthers(setup, small);
    const many = await fillWithNeighbours(setup, small ? 6 : 1_000, small ? 6 : 40);
    const [consumer, api, worker] = await Promise.all([
      setup.startConsumer(),
      setup.startApi(),
      setup.startWorker(),
    ]);
    const send = (sent: Sent, { key }: Other) => sendTo(api.url, sent, key);
    const heard = many.filter((_, index) => index % share === 0);
    await inLanes(heard.length, async (at) => {
      const other = heard[at];
      if (other !== undefined) await send(endpointAt(`${consumer.url}/hook`), other);
    });
    const few = many.slice(0, small ? 2 : 8);
    const idle = await idleServiceCpu({ setup, api, worker }, small ? 200 : 5_000);
    const stage = { setup, api, worker, idle, few, many, send };
    const rows: Row[] = [];
    for (const load of loads) rows.push(await compare(context, stage, load));
    await sleep(small ? 0 : 2_000);
    const [ofWorker, ofApi] = [residentMiB(worker.pid), residentMiB(api.pid)];
    log(`worker ${ofWorker.toFixed(0)} MiB, API ${ofApi.toFixed(0)} MiB`);
    await Promise.all([worker.stop(), api.stop(), consumer.stop()]);
    const note = `API ${ofApi.toFixed(0)} MiB`;
    return [
      ...rows,
      figureRow('locations', 'memory of the worker at the end', { most: 150, unit: ' MiB' }, ofWorker, note),
    ];
  },
};

/** One location of so many has an endpoint that hears of orders and stock. */
const share = 4;

const endpointAt = (url: string): Sent => ({
  method: 'POST',
  path: '/v2/webhook-endpoints',
  body: { url, events: ['order.created', 'order.updated', 'stock.updated'] },
});

interface Stage {
  setup: Setup;
  api: BenchProcess;
  worker: BenchProcess;
  /** The CPU time of all of it in a millisecond while there are no calls. */
  idle: ServiceCpu;
  few: readonly Other[];
  many: readonly Other[];
  send(sent: Sent, who: Other): Promise<unknown>;
}

/** The repeated work, and the allowed cost of 1,000 locations relative to 8. */
interface Load {
  work: string;
  most: number;
  calls: number;
  once(stage: Stage, who: Other, at: number): Promise<unknown>;
}

const loads: readonly Load[] = [
  {
    work: 'reads of one product',
    most: 1.1,
    calls: 3_000,
    once: ({ send }, who, at) =>
      send({ method: 'GET', path: `/v2/products/${who.productIds[at % who.productIds.length]}` }, who),
  },
  {
    work: 'lists of 20 products',
    most: 1.1,
    calls: 1_500,
    once: ({ send }, who) => send({ method: 'GET', path: '/v2/products?limit=20' }, who),
  },
  {
    work: 'orders of three items, each moved once',
    most: 1.2,
    calls: 500,
    async once({ send }, who) {
      const id = idOf(await send(orderOf(who), who));
      await send({ method: 'PATCH', path: `/v2/orders/${id}/status`, body: { status: 'ready' } }, who);
    },
  },
];

/** Sums of all turns: what a process does once a minute for each location falls into one turn or another. */
async function compare({ setup, small, log }: PartContext, stage: Stage, load: Load): Promise<Row> {
  const [calls, turns] = small ? [12, 1] : [load.calls, 5];
  const sides = { few: stage.few, many: stage.many };
  const spent = { few: { ...nothing }, many: { ...nothing } };
  const names = ['few', 'many'] as const;
  // The first turn warms up.
  for (let turn = 0; turn <= turns; turn += 1)
    for (const side of names) {
      const before = serviceCpuMs(stage);
      const began = performance.now();
      await inLanes(calls, (at) => load.once(stage, drawn(sides[side]), at), 16);
      if (turn > 0) spent[side].ms += performance.now() - began;
      await settled(setup);
      const lasted = performance.now() - began;
      const after = serviceCpuMs(stage);
      if (turn > 0)
        for (const name of processes)
          spent[side][name] += Math.max(0, after[name] - before[name] - stage.idle[name] * lasted);
    }
  const costOf = (side: 'few' | 'many'): Cost => {
    const us = (name: 'ms' | keyof ServiceCpu) => (spent[side][name] * 1_000) / (calls * turns);
    return {
      operation: `${load.work}, ${sides[side].length} locations`,
      perSecond: 1_000_000 / us('ms'),
      apiUs: us('api'),
      postgresUs: us('postgres'),
      workerUs: us('worker'),
    };
  };
  const costs = names.map(costOf);
  const [few = 0, many = 0] = costs.map(({ apiUs, postgresUs, workerUs }) => apiUs + postgresUs + workerUs);
  log(`${load.work}: ${few.toFixed(0)} and ${many.toFixed(0)} µs`);
  const work = `${load.work}: CPU over ${stage.many.length} locations ÷ over ${stage.few.length}`;
  return {
    ...figureRow('locations', work, { most: load.most, unit: '×' }, many / few),
    costs,
  };
}

const processes = ['api', 'postgres', 'worker'] as const;
const nothing = { ms: 0, api: 0, postgres: 0, worker: 0 };

const drawn = (from: readonly Other[]): Other => {
  const one = from[Math.floor(Math.random() * from.length)];
  if (one === undefined) throw new Error('there are no locations');
  return one;
};
