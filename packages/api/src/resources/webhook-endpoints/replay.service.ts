import { addJob, deliveryJobKey, isId, newId, statement, type Transaction } from '@comanda/db';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { inTransaction } from '../../request/writing.ts';
import type { WebhookReplay, WebhookReplayed } from './schema.ts';

/** Events at most, per call. */
const mostEvents = 10_000;

/**
 * Sends events of a window to an endpoint again: makes a new delivery of each, with attempts of its own; what became
 * of the earlier ones stays in the log. A retry that still waits gives way to the new delivery, and what waits for
 * its first attempt is left alone. Throws `resource_not_found`, `conflict` for a disabled endpoint,
 * `validation_error` for a type that it is not subscribed to and for more events than one call may send.
 */
export async function replay(ctx: CallContext, request: WebhookReplay): Promise<Answer<WebhookReplayed>> {
  const { locationId } = ctx.caller;
  const { id, since, until, only } = request;
  if (!isId(id)) throw notFound('Webhook endpoint');
  return inTransaction(ctx, async (tx) => {
    // Its row is held: of two replays at once the second finds what the first has made.
    const [endpoint] = await tx.run(holdEndpoint, [locationId, id]);
    if (endpoint === undefined) throw notFound('Webhook endpoint');
    const types = typesOf(request, endpoint.events);
    if (endpoint.status === 'disabled') throw conflict('The endpoint is disabled; enable it first.');
    const values = [locationId, id, types, since, until ?? null, only === 'all'];
    const bounds = [idAt(Date.parse(since)), idAt(until === undefined ? lastMs : Date.parse(until) + 1)];
    const events = await tx.run(findReplayable, [
      ...values,
      mostEvents + 1,
      endpoint.deliversAfter,
      ...bounds,
    ]);
    if (events.length > mostEvents) {
      const message = `The window holds more than ${mostEvents} events, the most of one call; narrow since and until.`;
      throw invalid({ path: '', message });
    }
    if (events.length > 0) await deliverAgain(tx, locationId, id, events);
    return { value: { replayed: events.length } };
  });
}

// An event's id begins with the millisecond of its capture: by it a window is found without reading what lies outside.
function idAt(ms: number): string {
  const time = Math.min(Math.max(0, Math.floor(ms)), lastMs)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

const lastMs = 2 ** 48 - 1;

function typesOf({ event_types }: WebhookReplay, subscribed: readonly string[]): readonly string[] {
  const faults = (event_types ?? []).flatMap((type, index) =>
    subscribed.includes(type)
      ? []
      : { path: `event_types[${index}]`, message: `the endpoint is not subscribed to ${type}` },
  );
  if (faults.length > 0) throw invalid(...faults);
  return event_types ?? subscribed;
}

async function deliverAgain(
  tx: Transaction,
  locationId: string,
  endpointId: string,
  events: readonly { id: string }[],
): Promise<void> {
  const eventIds = events.map(({ id }) => id);
  await tx.run(dropRetries, [locationId, endpointId, eventIds]);
  // Ids that sort as the events are numbered: endpoints are served in that order.
  const ids = events.map(() => newId()).sort();
  await tx.run(insertDeliveries, [locationId, endpointId, ids, eventIds]);
  await addJob(tx, 'deliver-webhooks', { locationId, endpointId }, { jobKey: deliveryJobKey(endpointId) });
}

const holdEndpoint = statement<{
  status: 'active' | 'disabled';
  events: string[];
  deliversAfter: string;
}>(
  'hold_replayed_endpoint',
  `select status, events, delivers_after::text as "deliversAfter" from webhook_endpoints
   where location_id = $1::uuid and id = $2::uuid for no key update`,
);

// The latest delivery of an event tells how it stands: waiting for its first attempt, or in the middle of any, it is
// on its way, unless it waited while the endpoint was disabled, up to $8. $6: also what arrived, and what was never meant
// for the endpoint.
const findReplayable = statement<{ id: string }>(
  'find_replayable_events',
  `select e.id from events e
   left join lateral (
     select case when d.next_attempt_at is not null and d.number <= $8::bigint then 'dropped' else d.status end as status,
       d.leased_until from webhook_deliveries d
     where d.location_id = e.location_id and d.event_id = e.id and d.endpoint_id = $2::uuid
     order by d.created_at desc, d.id desc limit 1) latest on true
   where e.location_id = $1::uuid and e.id >= $9::uuid and e.id < $10::uuid and e.type = any ($3::text[])
     and e.created_at >= greatest($4::timestamptz, now() - interval '30 days')
     and e.created_at <= coalesce($5::timestamptz, now())
     and (latest.status in ('failed', 'dead', 'dropped') or ($6 and (latest.status is null or latest.status = 'delivered')))
     and (latest.leased_until is null or latest.leased_until <= now() or latest.status <> 'failed')
   order by e.number limit $7`,
);

const dropRetries = statement(
  'drop_replayed_retries',
  `update webhook_deliveries set status = 'dropped', next_attempt_at = null, leased_until = null, leased_by = null
   where location_id = $1::uuid and endpoint_id = $2::uuid and event_id = any ($3::uuid[]) and status = 'failed'`,
);

const insertDeliveries = statement(
  'insert_replayed_deliveries',
  `insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at)
   select $1::uuid, w.id, $2::uuid, w.event_id, now() from unnest($3::uuid[], $4::uuid[]) as w (id, event_id)`,
);
