import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe, unsubscribe, writeDeliveries } from './endpoints.ts';
import type { Neighbour } from './neighbour.ts';

/** An endpoint with a big history is deleted, and its deliveries are cleared away. */
export const deletedEndpoint: Neighbour = {
  id: 'deleted-endpoint',
  name: 'an endpoint deleted with its deliveries',
  size: 20_000,
  async prepare(scene, size) {
    const [location] = scene.locations;
    const id = await subscribe(scene, location, `${scene.hangUrl}/hang-deleted`, ['sync.failed']);
    await writeDeliveries(scene, location, id, size, 'delivered');
    return async () => {
      await unsubscribe(scene, location, id);
      return async () => {
        for (;;) {
          const { rows } = await scene.database.pool.query(
            'select from webhook_deliveries where location_id = $1 and endpoint_id = $2 limit 1',
            [location.locationId, id],
          );
          if (rows.length === 0) return;
          await sleep(100);
        }
      };
    };
  },
};
