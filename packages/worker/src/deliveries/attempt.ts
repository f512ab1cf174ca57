import { beginSpan, type Clock, type SecretBox, type Traced } from '@comanda/db';
import { StaleError } from '../http/exchange.ts';
import { webhookHeaders } from '../http/headers.ts';
import type { Attempt, WebhookRequest, WebhookSender } from '../http/sender.ts';
import type { ReadyDelivery } from './ready-delivery.ts';

/** An attempt that was made, ready to be recorded. */
export interface MadeAttempt extends Attempt {
  deliveryId: string;
  eventType: string;
  /** 1 to 5. */
  attempt: number;
  /** When it ended, on the worker's clock. */
  endedAt: number;
}

/** The dependencies of attempts. */
export interface AttemptTools {
  clock: Clock;
  sender: WebhookSender;
  secrets: SecretBox;
  /** The service's version, for the User-Agent. */
  version: string;
}

/**
 * Looks again, right before it is sent, whether a claimed delivery may still be: returns the time to sign it with and
 * how long that look counts; undefined when it may not.
 */
export type LookAgain = (ready: ReadyDelivery) => Promise<Fresh | undefined>;

/** A look that counts until `sendBy`, on the worker's clock; `at` is the database's time of it, in Unix seconds. */
export interface Fresh {
  at: number;
  sendBy: number;
}

/** So often it is looked at again when its connection is a long time coming; from the second time there is one, mostly. */
const mostLooks = 5;

/**
 * Signs and sends one delivery, with any outcome at the consumer. Resolves to undefined when it was not sent: it may
 * not be any more, or that could not be found out. Such an attempt is not recorded.
 */
export async function makeAttempt(
  tools: AttemptTools,
  ready: ReadyDelivery,
  lookAgain: LookAgain,
): Promise<MadeAttempt | undefined> {
  const { delivery } = ready;
  const attempt = delivery.attempts + 1;
  const span = beginSpan('webhook', 'client', delivery.traceparent ?? undefined, {
    'http.request.method': 'POST',
    'comanda.event.id': delivery.eventId,
    'comanda.event.type': delivery.eventType,
    'comanda.attempt': attempt,
  });
  const made = await span.within(() => attemptWithin(span, tools, ready, lookAgain));
  const { responseCode, error } = made ?? {};
  span.end(responseCode === undefined ? {} : { 'http.response.status_code': responseCode }, error);
  return made;
}

async function attemptWithin(
  { traceparent }: Traced,
  tools: AttemptTools,
  ready: ReadyDelivery,
  lookAgain: LookAgain,
): Promise<MadeAttempt | undefined> {
  const { delivery, body, secrets, sendBy } = ready;
  const { id, eventId, eventType, url, claimedAt } = delivery;
  const attempt = delivery.attempts + 1;
  let fresh: Fresh | undefined = { at: claimedAt, sendBy };
  for (let looks = 1; fresh !== undefined; looks += 1) {
    // The database's time, as everywhere: a consumer refuses what is signed five minutes off.
    const timestampSeconds = Math.floor(fresh.at);
    const { version } = tools;
    const headers = webhookHeaders({
      eventId,
      eventType,
      attempt,
      timestampSeconds,
      secrets,
      body,
      traceparent,
      version,
    });
    const made = await send(tools, { url, headers, body, sendBy: fresh.sendBy });
    if (made !== undefined)
      return { ...made, deliveryId: id, eventType, attempt, endedAt: tools.clock.now() };
    if (looks > mostLooks) return undefined;
    fresh = await lookAgain(ready).catch(() => undefined);
  }
  return undefined;
}

async function send({ clock, sender }: AttemptTools, request: WebhookRequest): Promise<Attempt | undefined> {
  const startedAt = clock.now();
  try {
    return await sender.send(request);
  } catch (error) {
    if (error instanceof StaleError) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, error: reason, durationMs: Math.round(clock.now() - startedAt) };
  }
}
