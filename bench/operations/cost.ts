import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuMs } from '../cpu.ts';
import type { Cost } from '../result.ts';
import type { Call, Kind } from './call.ts';
import { askReference, type Hand, openHand } from './hand.ts';
import { idleServiceCpu, type ServiceCpu, serviceCpuMs } from './service-cpu.ts';
import { inLanes, type Sent, type Stage } from './stage.ts';

/** Measures what calls cost. */
export interface Meter {
  /** Calls it eight at a time, again and again, and waits until what follows is delivered. */
  costOf(call: Call): Promise<Cost & { kind: Kind }>;
}

/** CPU in milliseconds; what is idle uses so much in a millisecond. */
type Cpu = ServiceCpu & Record<'reference', number>;

/** Prepares to measure: how much each process uses while there are no calls, and Node once its code is compiled. */
export async function openMeter(stage: Stage, small: boolean): Promise<Meter> {
  const hand = await openHand(stage, small ? 4 : 500);
  const warmth = small ? 1 : 2_000;
  await inLanes(warmth, () => stage.send({ method: 'GET', path: '/v2/products?limit=50' }));
  await inLanes(warmth, () => askReference(stage, hand.products()));
  await stage.settle();
  const idle = { ...(await idleServiceCpu(stage, small ? 200 : 5_000)), reference: 0 };
  return { costOf: (call) => costOf({ stage, hand, idle, small }, call) };
}

const cpuOf = (stage: Stage): Cpu => ({
  ...serviceCpuMs(stage),
  reference: processCpuMs(stage.reference.pid),
});

const each = (work: (name: keyof Cpu) => number): Cpu => ({
  api: work('api'),
  postgres: work('postgres'),
  worker: work('worker'),
  reference: work('reference'),
});

interface Bench {
  stage: Stage;
  hand: Hand;
  idle: Cpu;
  small: boolean;
}

async function costOf(bench: Bench, call: Call): Promise<Cost & { kind: Kind }> {
  const { stage, hand, small } = bench;
  const most = small ? 2 : Math.min(call.most ?? 1_000, 1_000);
  const prepare = async (count: number) => {
    await stage.forgetEndpoints();
    const next = await call.prepare(stage, count);
    return (at: number) => stage.send(next(at));
  };
  const { us, perSecond } = await spent(bench, { most, calls: call.calls ?? 400 }, prepare);
  const byHand = call.byHand?.(hand);
  const reference =
    byHand &&
    (await spent(
      bench,
      { most, calls: 400 },
      async () => () => askReference(stage, byHand() satisfies Sent),
    ));
  return {
    operation: call.of === undefined ? call.operation : `${call.operation} (${call.of})`,
    kind: call.kind,
    perSecond,
    apiUs: us.api,
    postgresUs: us.postgres,
    workerUs: us.worker,
    ...(reference && { byHandUs: { node: reference.us.reference, postgres: reference.us.postgres } }),
  };
}

/** The average cost of a call. A call made a few times at once is made in many rounds. */
async function spent(
  { stage, idle, small }: Bench,
  { most, calls: wanted }: { most: number; calls: number },
  prepare: (count: number) => Promise<(at: number) => Promise<unknown>>,
): Promise<{ us: Cpu; perSecond: number }> {
  const warmRounds = small ? 0 : Math.ceil(wanted / 2 / most);
  const rounds = small ? 1 : Math.ceil(wanted / most);
  for (let round = 0; round < warmRounds; round += 1) {
    const count = Math.min(most, wanted / 2);
    await inLanes(count, await prepare(count));
  }
  const used = each(() => 0);
  let asked = 0;
  for (let round = 0; round < rounds; round += 1) {
    const call = await prepare(most);
    await stage.settle();
    const before = cpuOf(stage);
    const began = performance.now();
    await inLanes(most, call);
    asked += performance.now() - began;
    await stage.settle();
    // The time that a tick of the CPU clock has not counted yet.
    await sleep(20);
    const lasted = performance.now() - began;
    const after = cpuOf(stage);
    for (const name of ['api', 'postgres', 'worker', 'reference'] as const)
      used[name] += after[name] - before[name] - idle[name] * lasted;
  }
  const calls = most * rounds;
  return { us: each((name) => Math.max(0, used[name] * 1_000) / calls), perSecond: (calls * 1_000) / asked };
}
