import { createHash } from 'node:crypto';
import type { PlannedEvent } from './plan.ts';

/**
 * The id of an event, computed from its change: a retry, a second worker and a restored copy make the same. Shaped as a
 * UUIDv7 (RFC 9562): the milliseconds of the capture, then SHA-256 of what was changed and what is told of it.
 */
export function eventId({
  seed,
  resource,
  resourceId,
  type,
  capturedAt,
}: Pick<PlannedEvent, 'seed' | 'resource' | 'resourceId' | 'type' | 'capturedAt'>): string {
  const bytes = createHash('sha256')
    .update(`${seed} ${resource} ${resourceId} ${type}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUIntBE(capturedAt.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
