import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { subscriptionsOf } from '../request/subscription.ts';
import { eventBodies } from '../resources/events/bodies.schema.ts';
import { simulateOf } from './simulate.ts';
import type { DocumentedRoute } from './view.ts';

const Text = z
  .string()
  .meta({ id: 'EventStream', description: 'Server-sent events: `id`, `event` and `data` of each.' });
const schema = { $ref: '#/components/schemas/EventStream' };

/** The subscriptions as the generator can describe them: as queries that answer text. */
export function documentedStreams(router: AnyRouter): DocumentedRoute[] {
  return subscriptionsOf(router).map(({ name, meta, input: { shape } }) => {
    const path = meta.rest.slice('GET '.length);
    const route = { method: 'GET', version: 'v2', path } as const;
    // Headers that clients send, never in an address.
    const { lastEventId: _, ...asked } = shape as Record<string, z.ZodType>;
    const operation = {
      ...{ name, kind: 'query' as const, isList: false, listsChanges: false, routes: [route] },
      ...{ input: z.object(asked), output: Text },
      meta: { ...meta, rest: [meta.rest] },
      work: () => Promise.reject(new Error('described, never called')),
    };
    return { operation, route, ending: undefined };
  });
}

/** Makes a described query what it is: a stream of server-sent events, which goes on behind `Last-Event-ID`. */
export function asStream(operation: oas31.OperationObject): oas31.OperationObject {
  const { '200': success, ...others } = operation.responses ?? {};
  const { description = '', headers } = { ...(success as oas31.ResponseObject) };
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []).filter(isOwn), lastEventId, simulate],
    responses: {
      '200': {
        ...{ description, headers },
        content: { 'text/event-stream': { schema, example: exampleText() } },
      },
      ...others,
    },
  };
}

// A query, as which it was described, takes other headers.
const isOwn = (parameter: object): boolean => !('$ref' in parameter);

const simulate = simulateOf({ kind: 'subscription', name: '' });

const exampleText = (): string => {
  const body = eventBodies['order.created'];
  const { id, type } = JSON.parse(body) as { id: string; type: string };
  return `retry: 1000\nid: 01935a3e-7d8e-7c3b-a5e6-f70819203141\n\nid: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
};

const lastEventId: oas31.ParameterObject = {
  ...{ name: 'Last-Event-ID', in: 'header', required: false },
  description:
    'The id of the last event that was read: what clients send by themselves when they come again. It wins over `after`.',
  schema: { type: 'string' },
};
