import { startTestApi, type TestApi } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { useClosed } from '../support/use.ts';

/** One for the tests of a file: a location with something in every table that a person may edit; another location is next to it. */
export const useEditedShop = (): TestApi => useClosed(openEditedShop);

async function openEditedShop(): Promise<TestApi> {
  const api = await startTestApi();
  const { app, locationId } = api;
  const client = api.client();
  const kitchen = await createOrderKitchen(api);
  await createLocation(app.database);
  await client.turns.open.mutate();
  const first = await placeOrder(api, kitchen);
  await client.payments.complete.mutate({ id: first.payment.id });
  await client.turns.close.mutate();
  await client.turns.open.mutate();
  await placeOrder(api, kitchen);
  await createKey(app.database, { locationId, revokedAt: new Date() });
  await client.keys.create.mutate({ name: 'another', permissions: ['orders:read'] });
  await client.catalog.get.query();
  const endpoint = await client.webhookEndpoints.create.mutate({
    url: 'https://example.com/hook',
    events: ['order.created'],
  });
  await app.database.pool.query(
    `with event as (
       insert into events (location_id, id, number, type, resource_id, body, created_at)
       values ($1, uuid_v7(), 1, 'order.created', uuid_v7(), '{"id":"1"}', now()) returning id
     ), delivery as (
       insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at)
       select $1, $2, id, now() from event returning id, event_id
     )
     insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, duration_ms, attempted_at)
     select $1, id, $2, event_id, 'order.created', 1, 'failed', 5, now() from delivery`,
    [locationId, endpoint.id],
  );
  return api;
}
