import { setTimeout as sleep } from 'node:timers/promises';
import { specification } from '../../packages/api/src/specification.ts';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { type Call, calls, type Kind } from '../operations/calls.ts';
import { inLanes, openStage, type Stage } from '../operations/stage.ts';
import { type Cost, figureRow, type Row } from '../result.ts';
import type { Part } from './part.ts';

/** Every documented operation in a filled database of 100 locations, one endpoint subscribed to what changes. */
export const operations: Part = {
  name: 'operations',
  summary: 'what every operation costs, events and a webhook included',
  async run({ place, small, log }) {
    const forgotten = specification.filter(({ route }) =>
      calls.every(({ operation }) => operation !== route),
    );
    if (forgotten.length > 0)
      throw new Error(
        `no calls of ${forgotten.map(({ route }) => route).join(', ')} (bench/operations/calls.ts)`,
      );
    const stage = await openStage(place, small);
    const idle = await idleCost(stage, small ? 200 : 5_000);
    const costs: (Cost & { kind?: Kind })[] = [];
    for (const call of readsFirst) {
      const cost = { ...(await costOf(stage, call, idle, small)), ...(call.kind && { kind: call.kind }) };
      log(`${cost.operation}: ${sum(cost).toFixed(0)} µs`);
      costs.push(cost);
    }
    await Promise.all([stage.worker.stop(), stage.api.stop()]);
    return rowsOf(costs);
  },
};

// Writes make the shop bigger.
const isRead = ({ operation }: Call) => operation.startsWith('GET ');
const readsFirst = [...calls.filter(isRead), ...calls.filter((call) => !isRead(call))];

/** CPU that the service has used, in milliseconds. */
export type Cpu = Record<'api' | 'postgres' | 'worker', number>;

type Service = Pick<Stage, 'api' | 'worker' | 'place'>;

/** What it has used until now. */
export const cpuOf = ({ api, worker, place }: Service): Cpu => ({
  api: processCpuMs(api.pid),
  postgres: serverCpuMs(place.postmaster),
  worker: processCpuMs(worker.pid),
});

/** What it uses in a millisecond while nobody asks. */
export async function idleCost(stage: Service, ms: number): Promise<Cpu> {
  const before = cpuOf(stage);
  await sleep(ms);
  const after = cpuOf(stage);
  const each = (name: keyof Cpu) => (after[name] - before[name]) / ms;
  return { api: each('api'), postgres: each('postgres'), worker: each('worker') };
}

/** Calls it eight at a time, and waits until what follows is delivered. */
async function costOf(stage: Stage, call: Call, idle: Cpu, small: boolean): Promise<Cost> {
  const most = small ? 2 : (call.most ?? 1_000);
  const warm = Math.ceil(most / 10);
  await stage.forgetEndpoints();
  const next = await call.prepare(stage, most + warm);
  await inLanes(warm, (at) => stage.send(next(at)));
  await stage.settle();
  const before = cpuOf(stage);
  const began = performance.now();
  await inLanes(most, (at) => stage.send(next(warm + at)));
  const asked = performance.now() - began;
  await stage.settle();
  // What a tick of the CPU clock has not counted yet.
  await sleep(20);
  const lasted = performance.now() - began;
  const after = cpuOf(stage);
  const us = (name: keyof Cpu) =>
    Math.max(0, ((after[name] - before[name] - idle[name] * lasted) * 1_000) / most);
  return {
    operation: call.of === undefined ? call.operation : `${call.operation} (${call.of})`,
    perSecond: (most * 1_000) / asked,
    apiUs: us('api'),
    postgresUs: us('postgres'),
    workerUs: us('worker'),
  };
}

const sum = ({ apiUs, postgresUs, workerUs }: Cost) => apiUs + postgresUs + workerUs;

function rowsOf(costs: readonly (Cost & { kind?: Kind })[]): Row[] {
  const named = (operation: string) => {
    const found = costs.find((cost) => cost.operation === operation);
    if (found === undefined) throw new Error(`${operation} was not measured`);
    return found;
  };
  const dearest = (kind: Kind, by: (cost: Cost) => number) => {
    const [first] = costs.filter((cost) => cost.kind === kind).sort((a, b) => by(b) - by(a));
    if (first === undefined) throw new Error(`no ${kind} was measured`);
    return first;
  };
  const order = named('POST /v2/orders (3 items)');
  const list = named('GET /v2/products (50)');
  const search = named('GET /v2/products (search)');
  const big = named('GET /v2/products (search in 10,000)');
  const hot = dearest('hot write', sum);
  const lists = dearest('list', sum);
  const prisma = dearest('prisma', ({ apiUs }) => apiUs);
  const ratio = (work: string, most: number, cost: Cost, of: Cost): Row =>
    figureRow(
      'operations',
      work,
      { most, unit: '×' },
      sum(cost) / sum(of),
      `${cost.operation}: ${sum(cost).toFixed(0)} µs against ${sum(of).toFixed(0)}`,
    );
  return [
    {
      ...ratio('the dearest write of one hot resource ÷ an order of three items', 1, hot, order),
      costs: [...costs].sort((a, b) => sum(b) - sum(a)).map(({ kind: _, ...cost }) => cost),
    },
    ratio('the dearest list of 50 ÷ the list of products', 1.5, lists, list),
    ratio('search among 400 products ÷ their list', 1, search, list),
    figureRow(
      'operations',
      'search among 10,000 products: PostgreSQL',
      { most: 4, unit: ' ms' },
      big.postgresUs / 1_000,
    ),
    figureRow(
      'operations',
      'the dearest write through Prisma: Node',
      { most: 1.5, unit: ' ms' },
      prisma.apiUs / 1_000,
      prisma.operation,
    ),
  ];
}
