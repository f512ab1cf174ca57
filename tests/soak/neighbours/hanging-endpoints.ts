import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe, unsubscribe } from './endpoints.ts';
import type { Neighbour } from './neighbour.ts';
import { overAndOver } from './over-and-over.ts';

/** 14 endpoints at one host that take every connection and answer none; others live at the same host. */
export const hangingEndpoints: Neighbour = {
  id: 'hanging-endpoints',
  name: '14 hanging endpoints at the same host',
  async prepare(scene) {
    const [location] = scene.locations;
    const ids: string[] = [];
    for (let at = 1; at <= 14; at += 1)
      ids.push(await subscribe(scene, location, `${scene.hangUrl}/hang${at}`, ['product.updated']));
    return async () => {
      const rest = overAndOver(1, async () => {
        await scene.database.pool.query(
          'update products set price = price + 0.01 where location_id = $1 and id = any ($2)',
          [location.locationId, location.productIds.slice(0, 25)],
        );
        await sleep(1_000);
      });
      return async () => {
        await rest();
        for (const id of ids) await unsubscribe(scene, location, id);
        await scene.letGo();
      };
    };
  },
};
