import { valueIn } from '@comanda/api/src/call/answer.ts';
import { retryIn } from '@comanda/api/src/resources/deliveries/store.ts';
import { replayIn } from '@comanda/api/src/resources/webhook-endpoints/replay.store.ts';
import {
  type WebhookDelivery,
  WebhookDeliveryList,
  type WebhookEndpoint,
  WebhookReplay,
} from '@comanda/api/src/resources/webhook-endpoints/schema.ts';
import * as endpoints from '@comanda/api/src/resources/webhook-endpoints/service.ts';
import { rotateIn } from '@comanda/api/src/resources/webhook-endpoints/store.ts';
import type { Work } from './command.ts';
import { listOf, number, parse } from './input.ts';
import { rows } from './rows.ts';
import { type Scope, scopeOf } from './scope.ts';
import { secretBoxOf } from './secrets.ts';

/** `comanda webhooks list` */
export const listEndpoints: Work = {
  run: async ({ database }, { location }) => endpointsAt(await scopeOf(database, location)),
  show: (value) =>
    rows(value as WebhookEndpoint[], {
      ID: ({ id }) => id,
      STATUS: ({ status, failing_since }) => (failing_since === undefined ? status : `${status}, failing`),
      DEAD: ({ dead_count }) => String(dead_count),
      DELIVERED: ({ last_delivered_at }) => last_delivered_at ?? '-',
      URL: ({ url }) => url,
      EVENTS: ({ events }) => events.join(', '),
    }),
};

/** `comanda webhooks rotate` */
export const rotateSecret: Work = {
  run: async ({ database, settings }, { location, 'expire-previous': now }, [id = '']) => {
    const { actor } = await scopeOf(database, location, id);
    const request = { id, expire_previous: now !== undefined };
    return database.transaction(undefined, (tx) => rotateIn(tx, actor, secretBoxOf(settings), request));
  },
};

/** `comanda webhooks replay` */
export const replayEvents: Work = {
  run: async ({ database }, { location, since, until, only, 'event-types': types }, [id = '']) => {
    const { actor } = await scopeOf(database, location, id);
    const request = parse(WebhookReplay, { id, since, until, only, event_types: listOf(types) });
    return database.transaction(undefined, (tx) => replayIn(tx, actor, request));
  },
};

/** `comanda deliveries list` */
export const listAttempts: Work = {
  run: async ({ database }, { location, endpoint, status, limit, 'event-type': event_type }) => {
    const scope = await scopeOf(database, location, endpoint);
    const ids = endpoint === undefined ? (await endpointsAt(scope)).map(({ id }) => id) : [endpoint];
    const attempts: (WebhookDelivery & { endpoint_id: string })[] = [];
    const asked = { status, event_type, limit: number(limit) };
    const { limit: most } = parse(WebhookDeliveryList, { id: '', ...asked });
    for (const id of ids) {
      const { data } = await valueIn(
        await endpoints.listDeliveries(scope, parse(WebhookDeliveryList, { id, ...asked })),
      );
      attempts.push(...data.map((each) => ({ ...each, endpoint_id: id })));
    }
    return attempts
      .sort((one, other) => Date.parse(other.attempted_at) - Date.parse(one.attempted_at))
      .slice(0, most);
  },
  show: (value) =>
    rows(value as (WebhookDelivery & { endpoint_id: string })[], {
      TIME: ({ attempted_at }) => attempted_at,
      ID: ({ id }) => id,
      ENDPOINT: ({ endpoint_id }) => endpoint_id,
      EVENT: ({ event_type }) => event_type,
      ATTEMPT: ({ attempt }) => String(attempt),
      STATUS: ({ status }) => status,
      ANSWER: ({ response_code, error }) => error ?? String(response_code ?? '-'),
      NEXT: ({ next_attempt_at }) => next_attempt_at ?? '-',
    }),
};

/** `comanda deliveries retry` */
export const retryDelivery: Work = {
  run: async ({ database }, { location }, [id = '']) => {
    const { actor } = await scopeOf(database, location, id);
    return database.transaction(undefined, (tx) => retryIn(tx, actor, id));
  },
};

const endpointsAt = async (scope: Scope): Promise<WebhookEndpoint[]> =>
  (await valueIn(await endpoints.list(scope, { limit: 200, offset: 0 }))).data;
