import { randomBytes, randomUUID } from 'node:crypto';
import type { ComandaEvent, ComandaEventOf, EventType } from '@comanda/client';
import { webhookHeaders } from '@comanda/worker/webhook-headers';

/** An event to sign: its type and data; what is left out is made up. */
export interface TestEvent<Type extends EventType> {
  type: Type;
  data: ComandaEventOf<Type>['data'];
  /** A new one unless given; give it twice to see whether a receiver does its work once. */
  id?: string | undefined;
  /** ISO 8601; that of the delivery unless given. */
  created_at?: string | undefined;
  location_id?: string | undefined;
}

/** A delivery as the service would send it: POST `body` with `headers`. */
export interface SignedDelivery {
  /** What it is signed with; the receiver has to know it. */
  secret: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Signs an event as the service does, for a test of your receiver; nothing is sent. `secret` is a new one unless given;
 * `sentAt` the time of the delivery, now unless given: an old one must be refused.
 *
 * @example
 * const { headers, body } = signTestEvent({ type: 'order.created', data: order }, { secret });
 * const response = await POST(new Request('http://localhost/hook', { method: 'POST', headers, body }));
 */
export function signTestEvent<Type extends EventType>(
  { type, data, id = randomUUID(), created_at, location_id = randomUUID() }: TestEvent<Type>,
  {
    secret = `whsec_${randomBytes(32).toString('base64')}`,
    sentAt = new Date(),
    attempt = 1,
  }: { secret?: string | undefined; sentAt?: Date | undefined; attempt?: number | undefined } = {},
): SignedDelivery {
  const made = created_at ?? sentAt.toISOString().replace('Z', '+00:00');
  const event = { id, type, api_version: 'v2', created_at: made, location_id, data } satisfies Omit<
    ComandaEvent,
    'type' | 'data'
  > & { type: Type; data: unknown };
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(sentAt.getTime() / 1_000);
  const attributes = { eventId: id, eventType: type, attempt, timestampSeconds };
  return {
    secret,
    body,
    headers: webhookHeaders({ ...attributes, secrets: [secret], body, version: 'test' }),
  };
}
