import { addJobs, deliveryBytes, deliveryJobKey, newId, type Queryable, statement } from '@comanda/db';
import type { FirstAttempts, HandedDeliveries } from '../deliveries/first-attempts.ts';
import { type StoredSecrets, storedSecrets } from '../deliveries/statements.ts';
import { bodyOf, type ComposedEvent, chunk, type Endpoint, type NumberedEvent } from './store.ts';

/** So many deliveries of a round are claimed as they are made; more are cheaper claimed in bulk. */
export const mostAtOnce = 100;

/** A delivery of an event to an endpoint, which has its id. */
interface Delivery<Event extends NumberedEvent> {
  id: string;
  endpoint: Endpoint;
  event: Event;
}

/** A delivery for each receiver, and a job for each endpoint. */
export async function queueDeliveries(tx: Queryable, events: readonly NumberedEvent[]): Promise<void> {
  const deliveries = deliveriesOf(events);
  for (let start = 0; start < deliveries.length; start += chunk)
    await tx.run(insertDeliveries, keysOf(deliveries.slice(start, start + chunk)));
  await queueJobs(tx, deliveries);
}

/**
 * The same for the few events of a small round: what this worker would send at once is inserted as claimed by it, and answered to be
 * handed over once this has committed. An endpoint for which anything waits already gets a job: its order is the queue's.
 */
export async function claimNewDeliveries(
  tx: Queryable,
  events: readonly ComposedEvent[],
  first: FirstAttempts,
): Promise<HandedDeliveries[]> {
  const deliveries = deliveriesOf(events);
  if (deliveries.length === 0) return [];
  const wanted = first.mayClaim() ? endpointsWithRoom(deliveries, first) : [];
  const sendBy = first.sendBy();
  const taken = await tx.run(insertClaimed, [
    ...keysOf(deliveries),
    wanted.map(({ locationId }) => locationId),
    wanted.map(({ id }) => id),
    first.leaseMs,
    first.workerId,
  ]);
  const ofTaken = new Map(taken.map((endpoint) => [endpoint.id, endpoint]));
  await queueJobs(
    tx,
    deliveries.filter(({ endpoint }) => !ofTaken.has(endpoint.id)),
  );
  const bodies = createBodies();
  return taken.map(({ id: endpointId, locationId, url, secrets, at }) => ({
    locationId,
    endpointId,
    secrets,
    sendBy,
    deliveries: deliveries
      .filter(({ endpoint }) => endpoint.id === endpointId)
      .map(({ id, event, endpoint }) => ({
        delivery: {
          id,
          eventId: event.id,
          eventType: event.type,
          url,
          requestId: event.requestId,
          traceparent: event.traceparent,
          attempts: 0,
          claimedAt: at,
        },
        body: bodies(event, endpoint.apiVersion),
      })),
  }));
}

/** Whether so few and so small events go to so few endpoints that one statement stores them, and they are claimed one by one. */
export function isSmall(events: readonly ComposedEvent[]): boolean {
  let count = 0;
  let bytes = 0;
  for (const { receivers, text } of events) {
    count += receivers.length;
    bytes += Math.max(1, receivers.length) * text.length;
    if (count > mostAtOnce || bytes > deliveryBytes.each) return false;
  }
  return true;
}

function deliveriesOf<Event extends NumberedEvent>(events: readonly Event[]): Delivery<Event>[] {
  const found = events.flatMap((event) => event.receivers.map((endpoint) => ({ endpoint, event })));
  // Ids that sort as the events are numbered: endpoints are served in that order.
  const ids = found.map(() => newId()).sort();
  return found.map((one, at) => ({ ...one, id: ids[at] ?? newId() }));
}

/** The endpoints that would send all of their deliveries at once. */
function endpointsWithRoom(deliveries: readonly Delivery<ComposedEvent>[], first: FirstAttempts): Endpoint[] {
  const wanted = new Map<string, { endpoint: Endpoint; count: number; bytes: number }>();
  for (const { endpoint, event } of deliveries) {
    const row = wanted.get(endpoint.id) ?? { endpoint, count: 0, bytes: 0 };
    row.count += 1;
    row.bytes += Buffer.byteLength(event.text) + envelopeBytes;
    wanted.set(endpoint.id, row);
  }
  return [...wanted.values()]
    .filter(({ endpoint, count, bytes }) => first.hasRoom(endpoint.id, count, bytes))
    .map(({ endpoint }) => endpoint);
}

/** Bytes of a body around the text of its `data`, roughly. */
const envelopeBytes = 300;

/** Bodies as they are sent: endpoints of one family share the bytes. */
function createBodies(): (event: ComposedEvent, version: 'v1' | 'v2') => Buffer {
  const made = new Map<string, Buffer>();
  return (event, version) => {
    const key = `${event.id} ${version}`;
    const body = made.get(key) ?? Buffer.from(bodyOf(event, version));
    made.set(key, body);
    return body;
  };
}

async function queueJobs(
  tx: Queryable,
  deliveries: readonly { endpoint: Pick<Endpoint, 'id' | 'locationId'> }[],
): Promise<void> {
  const endpoints = new Map(deliveries.map(({ endpoint }) => [endpoint.id, endpoint]));
  await addJobs(
    tx,
    'deliver-webhooks',
    [...endpoints.values()].map(({ id, locationId }) => ({
      payload: { locationId, endpointId: id },
      jobKey: deliveryJobKey(id),
    })),
  );
}

const keysOf = (deliveries: readonly Delivery<NumberedEvent>[]) => [
  deliveries.map(({ endpoint }) => endpoint.locationId),
  deliveries.map(({ id }) => id),
  deliveries.map(({ endpoint }) => endpoint.id),
  deliveries.map(({ event }) => event.id),
];

const insertDeliveries = statement(
  'relay_insert_deliveries',
  `insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at)
   select w.*, now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as w
     (location_id, id, endpoint_id, event_id)`,
);

// Of the endpoints that are asked for, those are taken for which nothing waits and whose bodies are sent as stored: in a transaction that sorts nothing, the order leads to
// the index of what is due (docs/design/database.md, "Plans"). By the time of the statement: the transaction may be older than what waits.
/** Values: locations, ids, endpoints and events of the deliveries; locations and ids of the endpoints to be claimed for; lease, worker. */
export const insertClaimed = statement<{
  id: string;
  locationId: string;
  url: string;
  secrets: StoredSecrets;
  at: number;
}>(
  'relay_insert_claimed',
  `with taken as materialized (
     select a.location_id, a.id, e.url, ${storedSecrets('a.location_id', 'a.id')} as secrets
     from unnest($5::uuid[], $6::uuid[]) as a (location_id, id)
     cross join lateral (
       select e.url from webhook_endpoints e
       where e.location_id = a.location_id and e.id = a.id and e.status = 'active' and e.include = '{}' limit 1
     ) e
     where (select l.status from locations l where l.id = a.location_id) = 'active'
       and (select true from webhook_deliveries d
         where d.location_id = a.location_id and d.endpoint_id = a.id
           and d.next_attempt_at <= statement_timestamp() and d.leased_by is null
         order by d.next_attempt_at, d.id limit 1) is null
   ), made as (
     insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at, leased_until, leased_by)
     select w.location_id, w.id, w.endpoint_id, w.event_id, now(),
       case when t.id is not null then now() + make_interval(secs => $7::float8 / 1000) end,
       case when t.id is not null then $8::text end
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as w (location_id, id, endpoint_id, event_id)
     left join taken t on t.location_id = w.location_id and t.id = w.endpoint_id
   )
   select id, location_id as "locationId", url, secrets, extract(epoch from clock_timestamp())::float8 as at from taken`,
);
