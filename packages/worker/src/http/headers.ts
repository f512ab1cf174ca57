import { createHmac, hash } from 'node:crypto';

/** The signed and announced parts of one attempt. `body` is sent as these bytes, in UTF-8. */
export interface SignedAttempt {
  eventId: string;
  eventType: string;
  /** 1 to 5. */
  attempt: number;
  /** Unix time of this attempt. */
  timestampSeconds: number;
  /** Signing secrets (`whsec_…`) that are valid now, newest first: each signs. */
  secrets: readonly string[];
  body: string | Buffer;
  /** Its position in a trace (W3C Trace Context), when its event has one. */
  traceparent?: string | undefined;
  /** The service's version, for `User-Agent`. */
  version: string;
}

/**
 * The headers of a delivery: the Standard Webhooks trio, the event's id and type, the attempt, and a
 * `Content-Digest` (RFC 9530), which proves nothing but lets `verifyWebhook` distinguish an altered body from
 * a wrong secret.
 */
export function webhookHeaders(attempt: SignedAttempt): Record<string, string> {
  const { eventId, eventType, timestampSeconds, secrets, body, traceparent, version } = attempt;
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Comanda-Webhooks/${version}`,
    'X-Comanda-Event-Id': eventId,
    'X-Comanda-Event-Type': eventType,
    'X-Comanda-Attempt': String(attempt.attempt),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${sign(secret, eventId, timestampSeconds, body)}`)
      .join(' '),
    'Content-Digest': `sha-256=:${hash('sha256', body, 'base64')}:`,
    ...(traceparent !== undefined && { traceparent }),
  };
}

function sign(secret: string, id: string, timestampSeconds: number, body: string | Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64');
}
