import { randomBytes } from 'node:crypto';
import { newId } from '@comanda/db';
import type { AttemptTools } from '../deliveries/attempt.ts';
import { openSecrets } from '../deliveries/open-secrets.ts';
import { webhookHeaders } from '../http/headers.ts';
import type { Attempt } from '../http/sender.ts';
import type { Sending } from './log.ts';
import type { PublishedEvent, TestedEndpoint } from './statements.ts';

/** Sends an event to the endpoint, as the service would. */
export function sendEvent(
  tools: AttemptTools,
  locationId: string,
  { id, url, apiVersion, secrets }: TestedEndpoint,
  event: PublishedEvent,
  { isForged = false, agedSeconds = 0 }: Pick<Sending, 'isForged' | 'agedSeconds'>,
): Promise<Attempt> {
  const body = apiVersion === 'v1' ? event.bodyInV1 : event.body;
  const headers = webhookHeaders({
    eventId: event.id,
    eventType: event.type,
    attempt: 1,
    timestampSeconds: Math.floor(Date.now() / 1_000) - agedSeconds,
    secrets: isForged
      ? [`whsec_${randomBytes(32).toString('base64')}`]
      : openSecrets(tools, { locationId, endpointId: id }, secrets),
    body,
    version: tools.version,
  });
  return tools.sender.send({ url, headers, body });
}

/** The event under another id, which no consumer has seen. */
export function renamed(event: PublishedEvent): PublishedEvent {
  const id = newId();
  const rename = (body: string) => body.replaceAll(event.id, id);
  return { ...event, id, body: rename(event.body), bodyInV1: rename(event.bodyInV1) };
}

/** A `webhook.test` for the endpoint. */
export function testEvent(of: { locationId: string; endpointId: string; at: string }): PublishedEvent {
  const id = newId();
  const bodyOf = (api_version: string) =>
    JSON.stringify({
      id,
      type: 'webhook.test',
      api_version,
      created_at: of.at,
      location_id: of.locationId,
      data: {
        endpoint_id: of.endpointId,
        message: 'A certification looks whether the endpoint can be reached.',
      },
    });
  return { id, type: 'webhook.test', number: 0, body: bodyOf('v2'), bodyInV1: bodyOf('v1') };
}
