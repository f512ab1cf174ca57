import type { z } from 'zod';
import type { oas31, ZodOpenApiPathItemObject } from 'zod-openapi';
import { schemaIn } from '../families.ts';
import { publishedEvents } from '../resources/events/schema.ts';
import { type EventType, events, eventTypes } from '../resources/events/types.schema.ts';
import { exampleOf } from './examples.ts';

const eventId = '01935a3e-7d90-7c3b-a5e6-f70819203142';

/** The tag of the events in the documents. */
export const eventTag = {
  name: 'Webhook events',
  description: 'The events that registered endpoints receive.',
};

/** Headers of every delivery. Contract: webhooks and events. */
export const deliveryHeaders = {
  EventId: header('X-Comanda-Event-Id', 'The event, the same at every attempt.', eventId),
  EventType: header('X-Comanda-Event-Type', 'The type of the event.', 'order.created'),
  Attempt: header('X-Comanda-Attempt', 'Which attempt this is, 1 to 5.', '1'),
  ContentDigest: header(
    'Content-Digest',
    'SHA-256 of the body (RFC 9530): distinguishes an altered body from a wrong secret, and proves nothing.',
    'sha-256=:DIGEST:',
  ),
  Traceparent: {
    ...header(
      'traceparent',
      'Its position in a trace (W3C Trace Context); only when the call that made the change carried one, or the service records traces.',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ),
    required: false,
  },
  UserAgent: header(
    'User-Agent',
    '`Comanda-Webhooks/` and the version of the service.',
    'Comanda-Webhooks/0.2.0',
  ),
  WebhookId: header('webhook-id', 'The event id; part of what is signed.', eventId),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Unix seconds of this attempt; part of what is signed.',
    '1769904309',
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; its key are the bytes that the base64 after ' +
      '`whsec_` in the secret encodes. For 24 hours after a rotation one for either secret, separated by a space.',
    'v1,SIGNATURE',
  ),
} as const satisfies Record<string, oas31.ParameterObject>;

/** The `webhooks` section of the v2 document: every event type with its body, as v2 has it. Specification: Events. */
export function webhooks(
  bodies: Readonly<Record<EventType, z.ZodType>> = publishedEvents,
): Record<string, ZodOpenApiPathItemObject> {
  return Object.fromEntries(
    eventTypes.map((type) => [type, { post: delivery(type, schemaIn(bodies[type], 'v2')) }]),
  );
}

/** A body of an event of the type, as v2 endpoints receive it. */
export function exampleEvent(type: EventType): object {
  return exampleOf(publishedEvents[type]) as object;
}

function delivery(type: EventType, schema: z.ZodType): NonNullable<ZodOpenApiPathItemObject['post']> {
  return {
    operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [eventTag.name],
    summary: type,
    description: `Sent when ${events[type].trigger}.`,
    security: [],
    parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema, example: exampleEvent(type) },
      },
    },
    responses: {
      '2XX': { description: 'Received, within 30 seconds; any 2xx ends the attempts.' },
      default: { description: 'Failed: tried again after 1, 5, 15 and 60 minutes, then given up as `dead`.' },
    },
  };
}

function header(name: string, description: string, example: string): oas31.ParameterObject {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
