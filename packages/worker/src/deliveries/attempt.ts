import type { SecretBox, SecretOwner } from '@comanda/api/services';
import { webhookHeaders } from '../http/headers.ts';
import type { Attempt, WebhookSender } from '../http/sender.ts';
import type { ClaimedDelivery } from './statements.ts';

/** An attempt that was made, ready to be recorded. */
export interface MadeAttempt extends Attempt {
  deliveryId: string;
  eventType: string;
  /** 1 to 5. */
  attempt: number;
  /** When it ended, by `performance.now()`. */
  endedAt: number;
}

/** What attempts are made with. */
export interface AttemptTools {
  sender: WebhookSender;
  secrets: SecretBox;
  /** The service's version, for the User-Agent. */
  version: string;
}

/** Opens the signing secrets of an endpoint. @throws {Error} when there is none, or one cannot be opened. */
export function openSecrets(
  tools: AttemptTools,
  owner: SecretOwner,
  stored: ClaimedDelivery['secrets'],
): string[] {
  if (stored === null || stored.length === 0) throw new Error('the endpoint has no signing secret');
  return stored.map(({ keyId, sealed }) =>
    tools.secrets.open({ keyId, sealed: Buffer.from(sealed, 'hex') }, owner),
  );
}

/** Signs and sends one delivery. Resolves whatever the consumer does. */
export async function makeAttempt(
  tools: AttemptTools,
  delivery: ClaimedDelivery,
  secrets: readonly string[],
): Promise<MadeAttempt> {
  const { id, eventId, eventType, body, url } = delivery;
  const attempt = delivery.attempts + 1;
  // The database's time, as everywhere: a consumer refuses what is signed five minutes off.
  const timestampSeconds = Math.floor(delivery.claimedAt);
  const { version } = tools;
  const headers = webhookHeaders({ eventId, eventType, attempt, timestampSeconds, secrets, body, version });
  const startedAt = performance.now();
  const made = await tools.sender.send({ url, headers, body }).catch((error: unknown): Attempt => {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, error: reason, durationMs: Math.round(performance.now() - startedAt) };
  });
  return { ...made, deliveryId: id, eventType, attempt, endedAt: performance.now() };
}
