import type { EndpointRef } from './endpoint-ref.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import { type HeldDelivery, type StoredSecrets, sealedOf } from './statements.ts';

/** Deliveries of one endpoint that were claimed as they were made. */
export interface HandedDeliveries extends EndpointRef {
  deliveries: { delivery: HeldDelivery; body: Buffer }[];
  secrets: StoredSecrets;
  /** On the worker's clock: from then on address, secrets, state and claim are checked again before they are sent. */
  sendBy: number;
}

/**
 * The relay's view of this process's deliveries, so that a first attempt needs no job and no claim of its own: a delivery
 * is inserted as claimed by this worker, and handed over once that has committed.
 */
export interface FirstAttempts {
  /** The holder of the claims, and for how many milliseconds. */
  readonly workerId: string;
  readonly leaseMs: number;
  /** Until when, on the worker's clock, what is claimed now may be sent without another look at it. */
  sendBy(): number;
  /** Whether this worker may claim anything now: it is not stopping, and its heartbeat is heard. */
  mayClaim(): boolean;
  /** Whether so many deliveries with so many bytes would be sent at once. Others wait in the queue, in its order. */
  hasRoom(endpointId: string, count: number, bytes: number): boolean;
  /** Hands over what was claimed. Resolves at once; while the worker stops, when it has been given back. */
  hand(handed: HandedDeliveries): Promise<void>;
}

/** They as a lane takes them, with opened secrets. */
export function readyOf(
  { deliveries, secrets: stored, sendBy }: HandedDeliveries,
  secrets: readonly string[],
): ReadyDelivery[] {
  const sealed = sealedOf(stored);
  return deliveries.map((one) => ({ ...one, secrets, sealed, sendBy }));
}
