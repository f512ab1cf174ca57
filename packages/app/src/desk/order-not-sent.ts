import type { ComandaClient } from '@comanda/client';
import type { Overview } from './overview.ts';

type Endpoint = Awaited<ReturnType<ComandaClient['webhookEndpoints']['list']['query']>>['data'][number];

/** Why no delivery of an event was made. */
export type Reason = 'no_endpoint' | 'nobody_subscribed' | 'not_subscribed' | 'paused' | 'no_delivery';

/** Types of events of an order that were not sent for one reason; to one endpoint where it has a `url`. */
export interface NotSent {
  reason: Reason;
  url?: string;
  types: string[];
}

/**
 * The events of an order of which no delivery was made, by reason and endpoint. The subscriptions are those of today: the
 * service keeps no earlier ones.
 */
export function notSentOf(
  { timeline, deliveries }: Pick<Overview, 'timeline' | 'deliveries'>,
  endpoints: readonly Endpoint[],
): NotSent[] {
  const found = new Map<string, NotSent>();
  const note = (reason: Reason, type: string, url?: string) => {
    const key = `${reason} ${url}`;
    const known = found.get(key) ?? { reason, ...(url !== undefined && { url }), types: [] };
    if (!known.types.includes(type)) known.types.push(type);
    found.set(key, known);
  };
  for (const entry of timeline) {
    if (entry.kind !== 'event') continue;
    const { event_id, event_type } = entry;
    const reached = deliveries.filter((delivery) => delivery.event_id === event_id);
    const others = endpoints.filter(({ id }) => !reached.some(({ endpoint_id }) => endpoint_id === id));
    const isSubscribed = ({ events }: Endpoint) => events.some((type) => type === event_type);
    if (endpoints.length === 0) note('no_endpoint', event_type);
    else if (reached.length === 0 && !others.some(isSubscribed)) note('nobody_subscribed', event_type);
    else
      for (const endpoint of others) {
        const { url, status } = endpoint;
        if (!isSubscribed(endpoint)) note('not_subscribed', event_type, url);
        else note(status === 'disabled' ? 'paused' : 'no_delivery', event_type, url);
      }
  }
  return [...found.values()];
}
