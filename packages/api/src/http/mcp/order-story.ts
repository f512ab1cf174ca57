import type { Delivery } from '../../resources/deliveries/schema.ts';
import { type OrderOverview, OrderWanted } from '../../resources/orders/overview.schema.ts';
import type { WebhookEndpoint } from '../../resources/webhook-endpoints/schema.ts';
import type { Job, Parts } from './jobs.ts';

/** The history of an order, and why an endpoint did not get its events. */
export const orderStory: Job<OrderWanted> = {
  name: 'order_story',
  title: 'Tell the story of an order',
  description:
    'By exactly one of id, number and external_id: the order without its lines, its timeline with every attempt to deliver its events, ' +
    'the webhook endpoints, and in `not_sent` which events each endpoint did not get, why, and when the next attempt is.',
  permission: 'orders:read',
  input: OrderWanted,
  async work(parts: Parts, wanted) {
    const { order, turn, timeline, deliveries } = await parts.read('orders.overview', wanted);
    const endpoints = await parts.readIfGranted('webhookEndpoints.list', { limit: 200 });
    const notShown = endpoints === undefined ? 0 : endpoints.pagination.total - endpoints.data.length;
    const { items: _, ...short } = order;
    return {
      order: short,
      ...(turn && { turn }),
      timeline,
      ...(endpoints && { endpoints: endpoints.data }),
      ...(notShown > 0 && { endpoints_not_shown: notShown }),
      not_sent: notSent(timeline, deliveries, endpoints?.data),
    };
  },
};

/** Why events did not arrive, in sentences without a text of callers. */
const sentences = {
  no_endpoint: 'No webhook endpoint is registered.',
  not_subscribed:
    'The endpoint is not subscribed to these event types. webhook_endpoints_update subscribes it to later events.',
  endpoint_disabled:
    'The endpoint is disabled, so nothing is sent to it. Once it is enabled, webhook_endpoints_replay sends the events again.',
  no_delivery:
    'No delivery was made: the endpoint was subscribed after the event, or the event is a few seconds old. ' +
    'webhook_endpoints_replay with only: all sends it.',
  waiting: 'The first attempt has not ended yet.',
  failing: 'Every attempt so far failed. The next one is at next_attempt_at.',
  given_up: 'The last attempt failed, and none follows. webhook_endpoints_replay sends the events again.',
  dropped:
    'The deliveries were dropped while the endpoint was disabled. webhook_endpoints_replay sends the events again.',
} as const;
type Reason = keyof typeof sentences;

/** Events that an endpoint did not get, for one reason. */
interface NotSent {
  reason: Reason;
  message: string;
  endpoint_id?: string;
  event_types: string[];
  next_attempt_at?: string;
  response_code?: number;
  error?: string;
}

const reasonOfDelivery = {
  pending: 'waiting',
  failed: 'failing',
  dead: 'given_up',
  dropped: 'dropped',
} as const;

type Target = Pick<WebhookEndpoint, 'id'> & Partial<Pick<WebhookEndpoint, 'events' | 'status'>>;

/**
 * The events that did not arrive, by endpoint and reason. `deliveries` are in the order in which they were made. Without
 * `endpoints`, which the key may not see, those of the deliveries.
 */
function notSent(
  timeline: OrderOverview['timeline'],
  deliveries: Delivery[],
  endpoints: WebhookEndpoint[] | undefined,
): NotSent[] {
  const found = new Map<string, NotSent>();
  const note = (reason: Reason, type: string, endpointId?: string, delivery?: Delivery) => {
    const key = `${reason} ${endpointId}`;
    const known = found.get(key) ?? {
      reason,
      message: sentences[reason],
      ...(endpointId !== undefined && { endpoint_id: endpointId }),
      event_types: [],
    };
    if (!known.event_types.includes(type)) known.event_types.push(type);
    const { next_attempt_at, response_code, error } = delivery ?? {};
    if (next_attempt_at !== undefined) known.next_attempt_at ??= next_attempt_at;
    if (response_code !== undefined) known.response_code = response_code;
    if (error !== undefined) known.error = error;
    found.set(key, known);
  };
  const targets: Target[] =
    endpoints ?? [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))].map((id) => ({ id }));
  for (const entry of timeline) {
    if (entry.kind !== 'event') continue;
    const { event_id, event_type } = entry;
    const made = deliveries.filter((delivery) => delivery.event_id === event_id);
    if (targets.length === 0) note(endpoints === undefined ? 'no_delivery' : 'no_endpoint', event_type);
    for (const target of targets) {
      const own = made.filter(({ endpoint_id }) => endpoint_id === target.id);
      if (own.some(({ status }) => status === 'delivered')) continue;
      const last = own.at(-1);
      const reason = reasonOf(target, event_type, last);
      if (reason !== undefined) note(reason, event_type, target.id, last);
    }
  }
  return [...found.values()];
}

function reasonOf({ events, status }: Target, type: string, last: Delivery | undefined): Reason | undefined {
  if (last === undefined && events !== undefined && !events.some((each) => each === type))
    return 'not_subscribed';
  if (status === 'disabled') return 'endpoint_disabled';
  if (last !== undefined && last.status !== 'delivered') return reasonOfDelivery[last.status];
  return events === undefined ? undefined : 'no_delivery';
}
