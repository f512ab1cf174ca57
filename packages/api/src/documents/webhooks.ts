import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { oas31, ZodOpenApiPathItemObject } from 'zod-openapi';
import type { Operation, Route } from '../call/operations.ts';
import { subscriptionsOf } from '../call/subscription.ts';
import { schemaIn } from '../families.ts';
import { eventBodies } from '../resources/events/bodies.schema.ts';
import { publishedEvents } from '../resources/events/schema.ts';
import { type EventType, events, eventTypes } from '../resources/events/types.schema.ts';
import { exampleOf } from './examples.ts';
import { deliveryHeaders } from './headers.ts';

/** The tag of the events in the documents. */
export const eventTag = {
  name: 'Webhook events',
  description: 'The events that registered endpoints receive.',
};

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

const Stream = z
  .string()
  .meta({ id: 'EventStream', description: 'Server-sent events: `id`, `event` and `data` of each.' });

/** The subscriptions as the generator can describe them: as queries that answer text. */
export function documentedStreams(router: AnyRouter): { operation: Operation; route: Route }[] {
  return subscriptionsOf(router).map(({ name, meta, input: { shape } }) => {
    const route: Route = { method: 'GET', version: 'v2', path: meta.rest.slice('GET '.length) };
    // A header that clients send, never in an address.
    const { lastEventId: _, ...asked } = shape as Record<string, z.ZodType>;
    const operation: Operation = {
      name,
      kind: 'query',
      isList: false,
      listsChanges: false,
      routes: [route],
      input: z.object(asked),
      output: Stream,
      meta: { ...meta, rest: [meta.rest] },
      joins: false,
      work: () => Promise.reject(new Error('described, never called')),
    };
    return { operation, route };
  });
}

/** The answer of a stream. */
export function streamContent(): oas31.ContentObject {
  const body = eventBodies['order.created'];
  const { id, type } = JSON.parse(body) as { id: string; type: string };
  const example = `retry: 1000\nid: 01935a3e-7d8e-7c3b-a5e6-f70819203141\n\nid: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
  return { 'text/event-stream': { schema: { $ref: '#/components/schemas/EventStream' }, example } };
}
