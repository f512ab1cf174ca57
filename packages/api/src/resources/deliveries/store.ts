import { isId, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { conflict, notFound } from '../../errors.ts';
import { deliverAgain } from '../webhook-endpoints/replay.store.ts';
import type { Delivery } from './schema.ts';
import * as sql from './statements.ts';

/**
 * Sends the event of a delivery, or of an attempt of one, to its endpoint again: makes a new delivery with attempts of its
 * own, to which a retry that waits gives way. Throws `resource_not_found`, `conflict` for a disabled endpoint and for an
 * event that is on its way there.
 */
export async function retryIn(tx: Transaction, actor: AuditActor, id: string): Promise<Delivery> {
  const { locationId } = actor;
  const [named] = isId(id) ? await tx.run(sql.findDelivery, [locationId, id]) : [];
  if (named === undefined) throw notFound('Delivery');
  const { endpoint_id: endpointId, event_id: eventId } = named;
  // Its row is held: of two at once the second finds what the first has made.
  const [endpoint] = await tx.run(sql.holdEndpoint, [locationId, endpointId]);
  if (endpoint === undefined) throw notFound('Delivery');
  if (endpoint.status === 'disabled')
    throw conflict('endpoint_disabled', 'The endpoint is disabled; enable it first.');
  const [latest] = await tx.run(sql.readLatest, [locationId, endpointId, eventId]);
  if (latest?.can_retry !== true)
    throw conflict('illegal_move', 'The event is on its way to the endpoint already.');
  const [deliveryId = ''] = await deliverAgain(tx, locationId, endpointId, [{ id: eventId }]);
  auditAs(tx, actor, 'deliveries.retry', deliveryId, {
    before: null,
    after: { event_id: eventId, endpoint_id: endpointId, in_place_of: latest.id },
  });
  const [made] = await tx.run(sql.readLatest, [locationId, endpointId, eventId]);
  return JSON.parse(made?.doc ?? '') as Delivery;
}
