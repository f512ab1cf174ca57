import { traceIdOf } from '@comanda/db';
import type { Logger } from 'pino';
import type { MadeAttempt } from './attempt.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import type { HeldDelivery } from './statements.ts';

/**
 * Writes one line for an attempt, under the id of the request that made the change. An allow-list: no URL, which
 * may carry a password, no body, no secret.
 */
export function logAttempt(
  log: Logger,
  { locationId, endpointId }: EndpointRef,
  { id, eventId, eventType, requestId, traceparent }: HeldDelivery,
  { ok, attempt, responseCode, error, durationMs }: MadeAttempt,
  lastAttempt: number,
): void {
  const outcome = ok ? 'delivered' : attempt < lastAttempt ? 'failed' : 'dead';
  const line = {
    ...(requestId !== null && { requestId }),
    ...(traceparent !== null && { traceId: traceIdOf(traceparent) }),
    locationId,
    endpointId,
    deliveryId: id,
    eventId,
    eventType,
    attempt,
    outcome,
    ...(responseCode !== undefined && { responseCode }),
    ...(error !== undefined && { reason: error }),
    durationMs: Math.round(durationMs),
  };
  if (outcome === 'dead') log.warn(line, 'delivery attempt');
  else log.info(line, 'delivery attempt');
}
