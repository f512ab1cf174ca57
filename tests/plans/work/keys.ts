import { openHand } from '../../support/by-hand.ts';
import type { Shop } from '../shop.ts';
import type { Round } from './round.ts';

/** Keys and what they may use, the location itself, and what watches the service. */
export async function workOnKeys(
  { call, client, locationId, service }: Shop,
  { name }: Round,
): Promise<void> {
  const { id } = await client.keys.create.mutate({ name: `Till ${name}`, permissions: ['orders:read'] });
  await client.keys.list.query({ limit: 10 });
  await client.keys.get.query({ id });
  await client.keys.rotate.mutate({ id, grace_hours: 1 });
  await client.keys.narrow.mutate({ id, permissions: ['orders:read'], event_types: 'by_permission' });
  await client.keys.revoke.mutate({ id });
  const hand = await openHand(service.app.database.pool.options.connectionString ?? '');
  await hand.sql('update locations set name = $2 where id = $1', [locationId, `Edited ${name}`]);
  await hand.close();
  const [edited] = (await client.audit.list.query({ table: 'locations', limit: 1 })).data;
  await client.audit.undo.mutate({ id: edited?.id ?? '' });
  for (const narrowed of [{}, { since: '2020-01-01' }, { by: `Till ${name}` }, { about: id }])
    await client.audit.list.query({ limit: 10, ...narrowed });
  await call('GET /v2/limits');
  await call('GET /v2/locations/current');
  await call('GET /v2/locations/current?include=hours');
  await call('POST /v2/locations/current/pause', { until: new Date(Date.now() + 60_000).toISOString() });
  await call('POST /v2/locations/current/resume', {});
  await client.locations.update.mutate({ id: locationId, name: `Kitchen ${name}` });
  await client.locations.create.mutate({ name: `Branch ${name}` });
  for (const path of ['/readyz', '/metrics']) {
    const { status } = await fetch(`${service.url}${path}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  }
}
