import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe, unsubscribe } from './endpoints.ts';
import { holdRows } from './hold.ts';
import type { Neighbour } from './neighbour.ts';
import { overAndOver } from './over-and-over.ts';

/** A forgotten session holds the row of an endpoint while what it hears of changes. */
export const lockedEndpoint: Neighbour = {
  id: 'locked-endpoint',
  name: 'the locked row of an endpoint',
  async prepare(scene) {
    const [location] = scene.locations;
    const id = await subscribe(scene, location, `${scene.hangUrl}/hang-locked`, ['product.updated']);
    return async () => {
      const release = await holdRows(
        scene.databaseUrl,
        'select from webhook_endpoints where location_id = $1 and id = $2 for update',
        [location.locationId, id],
      );
      const rest = overAndOver(1, async () => {
        await scene.database.pool.query(
          'update products set price = price + 0.01 where location_id = $1 and id = any ($2)',
          [location.locationId, location.productIds.slice(0, 5)],
        );
        await sleep(100);
      });
      return async () => {
        await rest();
        await release();
        await unsubscribe(scene, location, id);
        await scene.letGo();
      };
    };
  },
};
