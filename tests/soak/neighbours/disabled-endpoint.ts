import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe, unsubscribe, writeDeliveries } from './endpoints.ts';
import type { Neighbour } from './neighbour.ts';
import { send } from './shop.ts';

/** An endpoint for which very much waits is disabled, and what waits is dropped. */
export const disabledEndpoint: Neighbour = {
  id: 'disabled-endpoint',
  name: 'an endpoint disabled with what waits for it',
  size: 20_000,
  async prepare(scene, size) {
    const [location] = scene.locations;
    const { pool } = scene.database;
    const id = await subscribe(scene, location, `${scene.hangUrl}/hang-disabled`, ['sync.failed']);
    await writeDeliveries(scene, location, id, size, 'failed');
    const waiting = `select from webhook_deliveries
      where location_id = $1 and endpoint_id = $2 and next_attempt_at is not null limit 1`;
    return async () => {
      await send(scene.apiUrl, location.key, {
        method: 'PATCH',
        path: `/v2/webhook-endpoints/${id}`,
        body: { status: 'disabled' },
      });
      return async () => {
        while ((await pool.query(waiting, [location.locationId, id])).rows.length > 0) await sleep(100);
        await unsubscribe(scene, location, id);
      };
    };
  },
};
