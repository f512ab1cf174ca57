import { childrenOf, processCpuMs } from '../cpu.ts';
import { measure, median, type Side } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import { sliceCores } from '../slices.ts';
import type { Part, PartContext } from './part.ts';

/** Of four cores the API would have three or four: more do not fit beside PostgreSQL and the load. */
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
    let refused = 0;
    for (let repeat = 0; repeat < (context.small ? 1 : 3); repeat += 1)
      for (const [count, rates] of found) {
        const { perSecond, failures } = await servedBy(count, context);
        rates.push(perSecond);
        refused += failures;
      }
    const [one, more] = [median(found.get(1) ?? []), median(found.get(many) ?? [])];
    const row = figureRow(
      'processes',
      `GET /v2/products/{id}, ${many} API processes: throughput a process ÷ that of one`,
      { least: 0.8, unit: '×' },
      more / many / one,
      `each on a fifth of a core, 16 connections a process: ${one.toFixed(0)}/s, then ${more.toFixed(0)}/s; ${refused} failures`,
    );
    return [{ ...row, met: row.met && refused === 0 }];
  },
};

async function servedBy(count: number, { place, effort, small, log }: PartContext) {
  const api = await place.startApi({ API_PROCESSES: String(count), LOG_LEVEL: 'warn' });
  const shop = await makeShop(place, api.url, 100);
  const { authorization = '' } = shop.headers;
  const requests: Side['requests'] = shop.productIds
    .slice(0, 20)
    .map((id) => ({ method: 'GET', path: `/v2/products/${id}`, headers: { authorization } }));
  const side: Side = { name: 'comanda', url: api.url, pid: api.pid, requests };
  const load = { ...effort, connections: (small ? 1 : 16) * count };
  await measure(side, { ...load, seconds: 1 }, place.postmaster);
  const pids = count === 1 ? [api.pid] : childrenOf(api.pid);
  const before = pids.map(processCpuMs);
  const release = sliceCores(pids);
  try {
    const measured = await measure(side, load, place.postmaster);
    const used = pids.map((pid, index) => processCpuMs(pid) - (before[index] ?? 0));
    log(
      `${count}: ${measured.perSecond.toFixed(0)}/s with ${used.join(', ')} ms of CPU in ${load.seconds} s`,
    );
    return measured;
  } finally {
    release();
    await api.stop();
  }
}
