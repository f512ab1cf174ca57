import type { Shop } from '../shop.ts';
import { today } from './catalog.ts';

/** Turns with their settlements, ways to pay, and reports. */
export async function workOnMoney({ call, client }: Shop, round: string, during: () => Promise<void>): Promise<void> {
  await client.turns.open.mutate();
  await during();
  const { id } = await call('GET /v2/turns/current');
  await client.turns.close.mutate();
  await call(`GET /v2/turns/${id}`);
  await call('GET /v2/turns?limit=10');
  const [settled] = await call<{ id: string }[]>('GET /v2/settlements?limit=10');
  await call(`GET /v2/settlements/${settled?.id}`);
  for (const grouping of ['day', 'product', 'category', 'payment_method', 'channel'])
    await call(`GET /v2/sales-reports?from=${today()}&to=${today()}&group_by=${grouping}`);

  const method = await client.paymentMethods.create.mutate({ name: `Card ${round}`, type: 'card' });
  await client.paymentMethods.update.mutate({ id: method.id, enabled: false });
  await call('GET /v2/payment-methods');
}

/** Endpoints, their deliveries and replays, and the feed of events. */
export async function workOnWebhooks({ call, client, service }: Shop): Promise<void> {
  const since = new Date(Date.now() - 60_000).toISOString();
  const endpoints: string[] = [];
  for (const path of ['v1/webhooks', 'v2/webhook-endpoints']) {
    const body = { url: service.consumer.url, events: ['order.created', 'order.status_changed'] };
    const { id } = await call(`POST /${path}`, body);
    await call(`GET /${path}`);
    await call(`GET /${path}/${id}`);
    await call(`POST /${path}/${id}/test`);
    await service.settled();
    for (const query of ['', '?status=delivered&limit=5', '?event_type=webhook.test&limit=5'])
      await call(`GET /${path}/${id}/deliveries${query}`);
    endpoints.push(id);
  }
  const [first, second] = endpoints;
  await call(`POST /v2/webhook-endpoints/${second}/rotate-secret`);
  await call(`POST /v2/webhook-endpoints/${second}/replay`, { since, only: 'all' });
  await service.settled();
  await call(`POST /v2/webhook-endpoints/${second}/replay`, { since, only: 'failed' });
  await call(`PATCH /v1/webhooks/${first}`, { status: 'disabled' });
  await call(`PATCH /v2/webhook-endpoints/${second}`, { events: ['order.created'] });
  await call(`DELETE /v1/webhooks/${first}`);
  await call(`DELETE /v2/webhook-endpoints/${second}`);

  const events = await call<{ id: string }[]>('GET /v2/events?limit=5');
  await call(`GET /v2/events?limit=5&after=${events[2]?.id}`);
  await client.events.list.query({ limit: 5, types: ['order.created', 'order.cancelled'] });
}

/** Keys, limits, the location itself. */
export async function workOnKeys({ call, client, locationId }: Shop, round: string): Promise<void> {
  const { id } = await client.keys.create.mutate({ name: `till ${round}`, permissions: ['orders:read'] });
  await client.keys.list.query({ limit: 10 });
  await client.keys.revoke.mutate({ id });
  await call('GET /v2/limits');
  await call('GET /v2/locations/current');
  await client.locations.update.mutate({ id: locationId, name: `Kitchen ${round}` });
}
