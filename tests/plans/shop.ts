import { createLocation, issueKey, subscribableEventTypes } from '@comanda/api/services';
import { type ComandaClient, createClient } from '@comanda/client';
import { routeTable } from '../../packages/api/src/http/rest/routes.ts';
import { callRest } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import type { Service } from './service.ts';

/** A location of the service and its caller. */
export interface Shop {
  service: Service;
  locationId: string;
  paymentMethodId: string;
  client: ComandaClient;
  /** Hears what succeeded, as `everyCall` names it. */
  called(call: string): void;
  /**
   * Calls REST; `route` is `GET /v2/orders?limit=1`. Answers `data`.
   *
   * @throws {Error} for anything but a success.
   */
  call<Data = { id: string }>(route: string, body?: object, headers?: Record<string, string>): Promise<Data>;
}

/** Every operation that a caller can ask for: its REST paths, or its name where only tRPC has it. */
export const everyCall: readonly string[] = operations.flatMap(({ name, routes }) =>
  routes.length === 0 ? [name] : routes.map(({ method, path }) => `${method} ${path}`),
);

const table = routeTable(operations);

/**
 * Makes a location through the service, with a key that may do everything and an endpoint that hears of everything.
 * `called` hears what succeeded, as `everyCall` names it.
 */
export async function openShop(
  service: Service,
  name: string,
  called: (call: string) => void = () => {},
  { sandbox = false } = {},
): Promise<Shop> {
  const { url, app, consumer } = service;
  const { id: locationId } = await createLocation(app.database, {
    name,
    timezone: 'UTC',
    currency: 'UYU',
    sandbox,
  });
  const { key } = await issueKey(app.database, {
    name: 'plans',
    location_id: locationId,
    permissions: ['*'],
    per_minute: 1_000_000,
    monthly: 10_000_000,
    batch_jobs_per_hour: 100_000,
    max_items_per_batch: 10_000,
  });
  const call: Shop['call'] = async <Data>(route: string, body?: object, headers = {}) => {
    const answer = await callRest<{ data: Data }>(url, route, { key, headers, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
    const [method = '', path = ''] = route.split(/[ ?]/);
    const found = table.find(method, path).route;
    called(`${found.method} ${found.path}`);
    return answer.body.data;
  };
  const client = createClient({
    url,
    key,
    retries: 0,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (response.ok) called(new URL(String(input)).pathname.replace('/trpc/', ''));
      return response;
    },
  });
  await call('POST /v2/webhook-endpoints', { url: consumer.url, events: [...subscribableEventTypes] });
  const [method] = await call<{ id: string }[]>('GET /v2/payment-methods');
  return { service, locationId, paymentMethodId: method?.id ?? '', client, called, call };
}
