import { issueKey } from '@comanda/api/services';
import type { ComandaClient } from '@comanda/client';
import { operations } from '../support/documented.ts';
import { routeTable } from '../../packages/api/src/rest/routes.ts';
import { callRest, typedClient } from '../support/api.ts';
import type { Service } from './service.ts';

/** A location of the service and its caller. */
export interface Shop {
  service: Service;
  locationId: string;
  paymentMethodId: string;
  client: ComandaClient;
  /** Calls REST and expects a success; `route` is `GET /v2/orders?limit=1`. Answers `data`. */
  call<Data = { id: string }>(route: string, body?: object, headers?: Record<string, string>): Promise<Data>;
}

/** Makes a location through the service, with a key that may do everything. */
export async function openShop(service: Service, locationId: string): Promise<Shop> {
  const { key } = await issueKey(service.app.database, {
    name: 'plans',
    location_id: locationId,
    permissions: ['*'],
    per_minute: 1_000_000,
    monthly: 10_000_000,
    batch_jobs_per_hour: 100_000,
    max_items_per_batch: 10_000,
  });
  const call: Shop['call'] = async <Data>(
    route: string,
    body?: object,
    headers: Record<string, string> = {},
  ) => {
    const answer = await callRest<{ data: Data }>(service.url, route, {
      key,
      headers,
      ...(body !== undefined && { body }),
    });
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
    touched.add(routeOf(route));
    return answer.body.data;
  };
  const [method] = await call<{ id: string }[]>('GET /v2/payment-methods');
  if (method === undefined) throw new Error('the location has no payment method');
  return { service, locationId, paymentMethodId: method.id, client: typedClient(service.url, key), call };
}

/** Routes that were called with success. */
export const touched = new Set<string>();

const routes = routeTable(operations);

function routeOf(text: string): string {
  const [method = '', path = ''] = text.split(' ');
  const { route } = routes.find(method, path.split('?')[0] ?? '');
  return `${route.method} ${route.path}`;
}
