import { setTimeout as sleep } from 'node:timers/promises';
import { settled, subscribe } from '../calls.ts';
import { childrenOf, memoryMiB, processMs } from '../cpu.ts';
import type { Figure } from '../figure.ts';
import { makeEmptyPlace, makeShop } from '../fill.ts';
import { sendLoad } from '../load.ts';
import type { Part } from '../part.ts';

/** What the processes take while nobody calls, with 1,000 locations that have an endpoint each, and how the memory of the API grows with requests. */
export const rest: Part = {
  name: 'rest',
  summary: 'memory and CPU at rest of API, worker and PostgreSQL; memory of the API over a million requests',
  rounds: 1,
  async open({ subject, small, log }) {
    const api = await subject.startApi({ LOG_LEVEL: 'warn' });
    for (let index = 0; index < (small ? 3 : 1_000); index += 1) {
      const { key } = await makeEmptyPlace(subject);
      await subscribe(api.url, key, 'http://127.0.0.1:9/none', ['order.created', 'product.updated']);
    }
    const shop = await makeShop(subject, api.url, 100);
    const worker = await subject.startWorker();
    await settled(subject);
    await subject.database.pool.query('vacuum analyze');
    const { postmaster } = subject;
    const seconds = small ? 1 : 30;

    const atRest = async (): Promise<Figure[]> => {
      // Connections to endpoints, and what the start made, go within a minute or so.
      await sleep(small ? 100 : 70_000);
      const before = subject.cpuMs();
      await sleep(seconds * 1_000);
      const cpu = subject.cpuMs();
      const ms = (name: keyof typeof cpu) => (cpu[name] - before[name]) / seconds;
      const cpuOf = { API: ms('api'), worker: ms('worker'), PostgreSQL: ms('postgres') };
      const memoryOf = {
        API: memoryMiB([api.pid]),
        worker: memoryMiB([worker.pid]),
        PostgreSQL: memoryMiB([postmaster, ...childrenOf(postmaster)]),
      };
      return [
        {
          work: 'a second at rest: CPU of all',
          value: ms('api') + ms('worker') + ms('postgres'),
          unit: ' ms',
          goal: { most: 12 },
          why: 'trickle.md',
        },
        ...figures('a second at rest: CPU', cpuOf, ' ms'),
        ...figures('memory at rest', memoryOf, ' MiB'),
      ];
    };

    const fourProcesses = async (): Promise<Figure[]> => {
      const four = await subject.startApi({ LOG_LEVEL: 'warn', API_PROCESSES: '4' });
      const pids = [four.pid, ...childrenOf(four.pid)];
      const usedMs = () => pids.reduce((sum, pid) => sum + processMs(pid), 0);
      await sleep(small ? 100 : 10_000);
      const before = usedMs();
      await sleep(seconds * 1_000);
      const ms = (usedMs() - before) / seconds;
      const mebibytes = memoryMiB(pids);
      await four.stop();
      return [
        { work: 'an API of four processes: memory at rest', value: mebibytes, unit: ' MiB' },
        { work: 'an API of four processes: CPU of a second at rest', value: ms, unit: ' ms' },
      ];
    };

    const growth = async (): Promise<Figure[]> => {
      const headers = { authorization: `Bearer ${shop.key}` };
      const paths = [
        ...shop.productIds.slice(0, 20).map((id) => `/v2/products/${id}`),
        '/v2/products?limit=5',
        '/v2/orders?limit=5',
        '/v2/locations/current',
      ];
      const requests = paths.map((path) => ({ method: 'GET' as const, path, headers }));
      const ask = async (amount: number) => {
        const load = { url: api.url, requests, connections: small ? 4 : 32, until: { amount } };
        const { failed } = await sendLoad(load, subject.cpuMs);
        log(`${memoryMiB([api.pid]).toFixed(0)} MiB`);
        return failed;
      };
      const whole = small ? 200 : 1_000_000;
      // Heap and caches have found their size by a fifth of the way.
      const failedFirst = await ask(whole / 5);
      const warm = memoryMiB([api.pid]);
      const failed = (await ask((whole * 4) / 5)) ?? failedFirst;
      const last = memoryMiB([api.pid]);
      return [
        { work: 'memory of the API after 1,000,000 requests', value: last, unit: ' MiB' },
        {
          work: 'the same ÷ after a fifth of them',
          value: last / warm,
          unit: '×',
          goal: { most: 1.1 },
          note: `${warm.toFixed(0)} MiB, then ${last.toFixed(0)} MiB`,
          ...(failed !== undefined && { failed }),
        },
      ];
    };

    return async () => [...(await atRest()), ...(await fourProcesses()), ...(await growth())];
  },
};

const figures = (work: string, values: Record<string, number>, unit: string): Figure[] =>
  Object.entries(values).map(([name, value]) => ({ work: `${work}, ${name}`, value, unit }));
