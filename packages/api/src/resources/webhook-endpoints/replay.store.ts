import { addJob, deliveryJobKey, isId, newId, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { WebhookReplay, WebhookReplayed } from './schema.ts';
import { dropRetries, findReplayable, holdForReplay, insertDeliveries } from './statements.ts';

/** Events at most, per call. */
const mostEvents = 10_000;

/**
 * Sends events of a window to an endpoint again: makes a new delivery of each, with attempts of its own; what became
 * of the earlier ones stays in the log. A retry that still waits gives way to the new delivery, and what waits for
 * its first attempt is left alone. Throws `resource_not_found`, `conflict` for a disabled endpoint,
 * `validation_error` for a type that it is not subscribed to and for more events than one call may send.
 */
export async function replayIn(
  tx: Transaction,
  actor: AuditActor,
  request: WebhookReplay,
): Promise<WebhookReplayed> {
  const { locationId } = actor;
  const { id, since, until, only } = request;
  if (!isId(id)) throw notFound('Webhook endpoint');
  // Its row is held: of two replays at once the second finds what the first has made.
  const [endpoint] = await tx.run(holdForReplay, [locationId, id]);
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  const types = typesOf(request, endpoint.events);
  if (endpoint.status === 'disabled')
    throw conflict('endpoint_disabled', 'The endpoint is disabled; enable it first.');
  const values = [locationId, id, types, since, until ?? null, only === 'all'];
  const bounds = [idAt(Date.parse(since)), idAt(until === undefined ? lastMs : Date.parse(until) + 1)];
  const events = await tx.run(findReplayable, [...values, mostEvents + 1, endpoint.deliversAfter, ...bounds]);
  if (events.length > mostEvents) {
    const message = `The window holds more than ${mostEvents} events, the most of one call; narrow since and until.`;
    throw invalid({ path: '', message, reason: 'batch_too_large' });
  }
  if (events.length > 0) await deliverAgain(tx, locationId, id, events);
  const { id: _, ...asked } = request;
  auditAs(tx, actor, 'webhookEndpoints.replay', id, {
    before: null,
    after: { ...asked, replayed: events.length },
  });
  return { replayed: events.length };
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
  if (faults.length > 0) throw invalid(faults);
  return event_types ?? subscribed;
}

/** Makes new deliveries of events to an endpoint, in their order, and answers their ids; retries that wait give way. */
export async function deliverAgain(
  tx: Transaction,
  locationId: string,
  endpointId: string,
  events: readonly { id: string }[],
): Promise<string[]> {
  const eventIds = events.map(({ id }) => id);
  await tx.run(dropRetries, [locationId, endpointId, eventIds]);
  // Ids that sort as the events are numbered: endpoints are served in that order.
  const ids = events.map(() => newId()).sort();
  await tx.run(insertDeliveries, [locationId, endpointId, ids, eventIds]);
  await addJob(tx, 'deliver-webhooks', { locationId, endpointId }, { jobKey: deliveryJobKey(endpointId) });
  return ids;
}
