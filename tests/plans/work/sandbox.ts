import { openShop, type Shop } from '../shop.ts';
import type { Round } from './round.ts';

/** A sandbox that is reset, and reset again: the second time there is something to remove. Then it is certified for nothing. */
export async function workOnSandbox({ service, called }: Shop, { name }: Round): Promise<void> {
  const { call } = await openShop(service, `Sandbox ${name}`, called, { sandbox: true });
  for (const _time of ['first', 'second']) await call('POST /v2/sandbox/reset');
  const nothing = {
    receives_webhooks: false,
    reads_catalog: false,
    reads_lists: false,
    places_orders: false,
  };
  // It waits for its endpoint, and so does not end by itself.
  const aborted = await call('POST /v2/certifications', { role: 'listener' });
  await call(`POST /v2/certifications/${aborted.id}/abort`);
  const { id } = await call('POST /v2/certifications', nothing);
  await call(`GET /v2/certifications/${id}`);
  await call('GET /v2/certifications?limit=10');
}
