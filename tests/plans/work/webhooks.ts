import type { Permission } from '../../../packages/api/src/permissions.ts';
import type { Shop } from '../shop.ts';
import { type Round, today } from './round.ts';

const paths = { v1: 'v1/webhooks', v2: 'v2/webhook-endpoints' };

/** Endpoints with their tests and replays, the log of their deliveries, and the feed of events. */
export async function workOnWebhooks({ call, client, service }: Shop, { families }: Round): Promise<void> {
  const since = new Date(Date.now() - 60_000).toISOString();
  for (const path of families.map((family) => paths[family])) {
    const events = ['order.created', 'order.status_changed'];
    const { id } = await call(`POST /${path}`, { url: service.consumer.url, events });
    await call(`GET /${path}?limit=10`);
    await call(`GET /${path}/${id}`);
    await call(`PATCH /${path}/${id}`, { events: ['order.created'] });
    await call(`POST /${path}/${id}/test`);
    await call(`POST /v2/webhook-endpoints/${id}/rotate-secret`);
    await call(`POST /v2/webhook-endpoints/${id}/replay`, { since, only: 'all' });
    await service.settled();
    await call(`POST /v2/webhook-endpoints/${id}/replay`, { since, only: 'failed' });
    for (const query of ['', '&status=delivered', '&event_type=webhook.test'])
      await call(`GET /${path}/${id}/deliveries?limit=10${query}`);
    const [attempt] = (await client.webhookEndpoints.deliveries.query({ id, status: 'delivered' })).data;
    await client.deliveries.retry.mutate({ id: attempt?.id ?? '' });
    await call(`PATCH /${path}/${id}`, { status: 'disabled' });
    await call(`DELETE /${path}/${id}`);
  }
  const [first, second] = await call<{ id: string }[]>('GET /v2/events?limit=5');
  await call(`GET /v2/events?limit=5&after=${(second ?? first)?.id}`);
  await call('GET /v2/events?after=latest');
  await call(`GET /v2/events?limit=5&since=${today()}T00:00:00Z`);
  await client.events.list.query({ limit: 5, types: ['order.created', 'order.cancelled'] });
  // As who does not see every type.
  const permissions: Permission[] = ['orders:read', 'events:read'];
  const { key } = await client.keys.create.mutate({ name: 'Kitchen', permissions });
  await call('GET /v2/events?after=latest', undefined, { authorization: `Bearer ${key}` });
}
