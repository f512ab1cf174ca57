import { childrenOf, processCpuMs } from '../cpu.ts';
import { openLanes } from '../lanes.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import { sliceCores } from '../slices.ts';
import type { Part, PartContext } from './part.ts';

/** More do not fit with PostgreSQL and the load on two cores. */
const many = 4;

/** `API_PROCESSES`: what four processes behind one port serve, each on a fifth of a core, against one. */
export const processes: Part = {
  name: 'processes',
  summary: 'API processes behind one port, each on a slice of a core',
  async run(context) {
    const found = new Map<number, number[]>([
      [1, []],
      [many, []],
    ]);
    let failures = 0;
    for (let repeat = 0; repeat < (context.small ? 1 : 5); repeat += 1)
      for (const [count, rates] of found) {
        const { perSecond, failed } = await servedBy(count, context);
        rates.push(perSecond);
        failures += failed;
      }
    const [one, more] = [median(found.get(1) ?? []), median(found.get(many) ?? [])];
    const row = figureRow(
      'processes',
      `GET /v2/products/{id}, ${many} API processes: throughput of each ÷ that of one alone`,
      { least: 0.8, unit: '×' },
      more / many / one,
      `each on a fifth of a core, 16 connections a process: ${one.toFixed(0)}/s, then ${more.toFixed(0)}/s; ${failures} failures`,
    );
    return [{ ...row, met: row.met && failures === 0 }];
  },
};

async function servedBy(count: number, { setup, effort, small, log }: PartContext) {
  const api = await setup.startApi({ API_PROCESSES: String(count), LOG_LEVEL: 'warn' });
  const { key, productIds } = await makeShop(setup, api.url, 100);
  const paths = productIds.slice(0, 20).map((id) => `/v2/products/${id}`);
  // Opened while all run: one that is stopped could not take its share of them.
  const lanes = await openLanes((small ? 2 : 16) * count, { url: api.url, paths, key });
  const pids = count === 1 ? [api.pid] : childrenOf(api.pid);
  const before = pids.map(processCpuMs);
  const release = sliceCores(pids);
  try {
    const { answered, failed } = await lanes.count(effort.seconds * 1_000);
    const used = pids.map((pid, index) => processCpuMs(pid) - (before[index] ?? 0));
    const perSecond = answered / effort.seconds;
    log(`${count}: ${perSecond.toFixed(0)}/s with ${used.join(', ')} ms of CPU in ${effort.seconds} s`);
    return { perSecond, failed };
  } finally {
    release();
    await lanes.close();
    await api.stop();
  }
}
