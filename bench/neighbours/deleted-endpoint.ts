import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe, unsubscribe } from './endpoints.ts';
import type { Neighbour } from './neighbour.ts';

/** An endpoint with a big history is deleted, and its deliveries are cleared away. */
export const deletedEndpoint: Neighbour = {
  id: 'deleted-endpoint',
  name: 'an endpoint deleted with its deliveries',
  arrivalMs: 1_000,
  lastingSeconds: 5,
  size: 400_000,
  async prepare(scene, size) {
    const [location] = scene.locations;
    const { pool } = scene.database;
    const id = await subscribe(scene, location, `${scene.hangUrl}/hang-deleted`, ['sync.failed']);
    await pool.query(
      `with event as (
         insert into events (location_id, id, number, type, resource_id, body, created_at)
         select $1, uuid_v7(), coalesce(max(number), 0) + 1000000, 'sync.failed', $1, '{"api_version":"v2"}', now()
         from events where location_id = $1 returning id
       )
       insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
       select $1, $2, event.id, 'delivered', 1 from event, generate_series(1, $3::int)`,
      [location.locationId, id, size],
    );
    return async () => {
      await unsubscribe(scene, location, id);
      return async () => {
        for (;;) {
          const { rows } = await pool.query(
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
