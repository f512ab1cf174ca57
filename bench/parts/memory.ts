import { residentMiB } from '../cpu.ts';
import { measure } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** The API's memory over a million requests of several kinds. */
export const memory: Part = {
  name: 'memory',
  summary: 'memory of the API process over 1,000,000 requests',
  async run({ setup, effort, small, log }) {
    const api = await setup.startApi({ LOG_LEVEL: 'warn' });
    const shop = await makeShop(setup, api.url, 100);
    const { authorization = '' } = shop.headers;
    const paths = [
      ...shop.productIds.slice(0, 20).map((id) => `/v2/products/${id}`),
      '/v2/products?limit=5',
      '/v2/orders?limit=5',
      '/v2/products/unknown',
      '/v2/locations/current',
    ];
    const requests = paths.map((path) => ({ method: 'GET' as const, path, headers: { authorization } }));
    const side = { name: 'comanda' as const, url: api.url, pid: api.pid, requests };
    const whole = small ? 200 : 1_000_000;
    let done = 0;
    let warm = 0;
    while (done < whole) {
      const { perSecond } = await measure(side, { ...effort, seconds: small ? 1 : 10 }, setup.postmaster);
      done += perSecond * (small ? 1 : 10);
      // Heap and caches have found their size by a fifth of the way.
      if (warm === 0 && done >= whole / 5) warm = residentMiB(api.pid);
      log(`${done.toFixed(0)} requests, ${residentMiB(api.pid).toFixed(0)} MiB`);
    }
    const last = residentMiB(api.pid);
    await api.stop();
    return [
      figureRow(
        'memory',
        `API memory after ${whole.toLocaleString('en')} requests ÷ after a fifth of them`,
        { most: 1.1, unit: '×' },
        last / warm,
        `${warm.toFixed(0)} MiB, then ${last.toFixed(0)} MiB`,
      ),
    ];
  },
};
