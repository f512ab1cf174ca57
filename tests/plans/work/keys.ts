import type { Shop } from '../shop.ts';
import type { Round } from './round.ts';

/** Keys and what they may use, the location itself, and what watches the service. */
export async function workOnKeys(
  { call, client, locationId, service }: Shop,
  { name }: Round,
): Promise<void> {
  const { id } = await client.keys.create.mutate({ name: `Till ${name}`, permissions: ['orders:read'] });
  await client.keys.list.query({ limit: 10 });
  await client.keys.revoke.mutate({ id });
  await call('GET /v2/limits');
  await call('GET /v2/locations/current');
  await client.locations.update.mutate({ id: locationId, name: `Kitchen ${name}` });
  await client.locations.create.mutate({ name: `Branch ${name}` });
  for (const path of ['/readyz', '/metrics']) {
    const { status } = await fetch(`${service.url}${path}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  }
}
