import { setTimeout as sleep } from 'node:timers/promises';
import { exactCpuMs, serverThreadsMs } from '../cpu.ts';
import { settled } from '../operations/stage.ts';
import type { BenchProcess } from '../processes.ts';
import type { Setup } from '../setup.ts';

/** The processes whose CPU is counted, by their names in the table, and the consumer that they send to. */
export interface Driven {
  setup: Setup;
  consumer: BenchProcess;
  processes: Readonly<Record<string, BenchProcess>>;
  /** Waits until everything is delivered, when the tables of Comanda do not show it. */
  delivered?: () => Promise<void>;
}

/** Steps at fixed times, at any speed of their answers. */
export interface Load {
  perSecond: number;
  seconds: number;
  step(at: number): Promise<void>;
}

/** CPU of a step by process, PostgreSQL included, in ms; webhooks that arrived, and how long after their change each did, in ms and rising order. */
export interface Driving {
  cpuMs: Readonly<Record<string, number>>;
  webhooks: number;
  latencies: readonly number[];
}

/** Drives a load and waits until all that follows has arrived and is recorded. */
export async function drive(driven: Driven, { perSecond, seconds, step }: Load): Promise<Driving> {
  const { setup, consumer, delivered = () => settled(setup) } = driven;
  await seenBy(consumer);
  const before = cpuOf(driven);
  const steps = perSecond * seconds;
  const calls: Promise<void>[] = [];
  const began = performance.now();
  for (let at = 0; at < steps; at += 1) {
    const call = step(at);
    call.catch(() => {});
    calls.push(call);
    await sleep(Math.max(0, began + ((at + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(calls);
  await delivered();
  // The last attempts are recorded some milliseconds after they arrive.
  await sleep(200);
  const after = cpuOf(driven);
  const latencies = await seenBy(consumer);
  const cpuMs = Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / steps]);
  return {
    cpuMs: Object.fromEntries(cpuMs),
    webhooks: latencies.length,
    latencies: latencies.sort((a, b) => a - b),
  };
}

/** CPU of the processes in so many seconds of rest, in ms for each second. */
export async function rest(driven: Driven, seconds: number): Promise<Readonly<Record<string, number>>> {
  const before = cpuOf(driven);
  await sleep(seconds * 1_000);
  const after = cpuOf(driven);
  return Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / seconds]),
  );
}

/** How long the webhooks that arrived since the last question took, in ms. */
async function seenBy(consumer: BenchProcess): Promise<number[]> {
  return ((await (await fetch(consumer.url)).json()) as { latencies: number[] }).latencies;
}

function cpuOf({ setup, processes }: Driven): Record<string, number> {
  const own = Object.entries(processes).map(([name, { pid }]) => [name, exactCpuMs(pid)]);
  return { ...Object.fromEntries(own), PostgreSQL: serverThreadsMs(setup.postmaster) };
}
