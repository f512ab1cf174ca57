import { hash } from 'node:crypto';
import type { PlannedEvent } from './plan.ts';

/**
 * The id of an event, computed from its change: a retry, a second worker and a restored copy make the same. Shaped as a
 * UUIDv7 (RFC 9562): the milliseconds of the capture, then SHA-256 of the changed resource and the event type.
 */
export function eventId({
  seed,
  resource,
  resourceId,
  type,
  capturedAt,
}: Pick<PlannedEvent, 'seed' | 'resource' | 'resourceId' | 'type' | 'capturedAt'>): string {
  const time = capturedAt.getTime().toString(16).padStart(12, '0');
  const rest = hash('sha256', `${seed} ${resource} ${resourceId} ${type}`);
  const variant = '89ab'.charAt(Number.parseInt(rest.charAt(0), 16) % 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(1, 4)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`;
}
