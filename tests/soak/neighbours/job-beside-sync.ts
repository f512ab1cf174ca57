import { setTimeout as sleep } from 'node:timers/promises';
import type { Neighbour } from './neighbour.ts';
import { overAndOver } from './over-and-over.ts';
import { send } from './shop.ts';

/** A products job and a catalog sync of the same 300 products, over and over. */
export const jobBesideSync: Neighbour = {
  id: 'job-beside-sync',
  name: 'a products job with catalog syncs',
  async prepare({ apiUrl, locations: [{ key }] }) {
    let price = 1;
    const items = () =>
      Array.from({ length: 300 }, (_, at) => ({
        external_id: `p${at + 1}`,
        sku: `SKU-${at + 1}`,
        name: `Product ${at + 1}`,
        price,
      }));
    return async () => {
      const jobs = overAndOver(1, async () => {
        price += 0.25;
        const body = { mode: 'upsert', items: items() };
        const job = (await send(apiUrl, key, { method: 'POST', path: '/v2/sync/products', body })) as {
          job_id: string;
        };
        for (;;) {
          const { status } = (await send(apiUrl, key, {
            method: 'GET',
            path: `/v2/sync/jobs/${job.job_id}`,
          })) as { status: string };
          if (status === 'completed' || status === 'failed') break;
          await sleep(50);
        }
      });
      const syncs = overAndOver(1, async () => {
        price += 0.25;
        const categories = [{ external_id: 'synced', name: 'Synced', priority: 1, products: items() }];
        await send(apiUrl, key, { method: 'POST', path: '/v2/catalog/sync', body: { categories } });
        await sleep(200);
      });
      return async () => {
        await Promise.all([jobs(), syncs()]);
      };
    };
  },
};
