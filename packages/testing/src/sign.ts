import { randomBytes } from 'node:crypto';
import type { EventType } from '@comanda/client';
import { webhookHeaders } from '@comanda/worker/webhook-headers';
import { type TestEvent, wholeEvent } from './test-event.ts';

/** A delivery as the service would send it: POST `body` with `headers`. */
export interface SignedDelivery {
  /** The secret that it is signed with; the receiver has to know it. */
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
  given: TestEvent<Type>,
  {
    secret = `whsec_${randomBytes(32).toString('base64')}`,
    sentAt = new Date(),
    attempt = 1,
  }: { secret?: string | undefined; sentAt?: Date | undefined; attempt?: number | undefined } = {},
): SignedDelivery {
  const event = wholeEvent(given, sentAt);
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(sentAt.getTime() / 1_000);
  const attributes = { eventId: event.id, eventType: given.type, attempt, timestampSeconds };
  return {
    secret,
    body,
    headers: webhookHeaders({ ...attributes, secrets: [secret], body, version: 'test' }),
  };
}
