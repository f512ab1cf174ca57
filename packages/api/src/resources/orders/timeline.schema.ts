import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { Id, Timestamp } from '../../wire.ts';
import { eventTypes } from '../events/types.schema.ts';
import { WebhookDelivery } from '../webhook-endpoints/schema.ts';
import { OrderStatus } from './schema.ts';

/** The author of a change: an API key, or a person in the database itself (Prisma Studio, psql). */
export const Actor = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('api_key').meta({ description: 'The type of the object.' }),
        id: Id,
        name: z.string().optional().meta({ description: 'The name of the key.', example: 'ERP' }),
      })
      .meta({ id: 'ApiKeyActor', description: 'A key of the API did it.' }),
    z
      .object({
        type: z.literal('database').meta({ description: 'The type of the object.' }),
        name: z.string().optional().meta({
          description: 'The role and the program, for as long as the audit is kept.',
          example: 'ana by psql',
        }),
      })
      .meta({ id: 'DatabaseActor', description: 'A person who edits in the database.' }),
  ])
  .meta({ id: 'Actor', description: 'An API key, or `database`: an edit in the database itself.' });

const at = Timestamp;
const kind = <Kind extends string>(name: Kind) => z.literal(name).meta({ description: 'The kind of entry.' });
const request_id = z.string().optional().meta({
  description: 'The X-Request-Id of the request that did it.',
  example: '01935a3e-7c1f-7a11-8d2e-3f4a5b6c7d8e',
});
const event = {
  event_id: Id,
  event_type: z.enum(eventTypes).meta({ description: 'The type of the event.' }),
};
const { attempt, status, response_code, error, duration_ms } = WebhookDelivery.shape;

const line = {
  line_id: z.int().meta({ description: 'The number of the line.', example: 1 }),
  name: z.string().meta({ description: 'The name of what was sold.', example: 'Flat White' }),
  quantity: z.number().meta({ description: 'How many or how much, after the edit.' }),
};
const EditedLine = z.object(line).meta({ id: 'OrderEditedLine', description: 'A line that came or went.' });

/** What an edit of an order changed, without a text of the guest. */
const OrderDifference = z
  .object({
    fields: z
      .array(z.string())
      .optional()
      .meta({ description: 'The fields that were given, without their values.', example: ['note'] }),
    total: z
      .object({
        before: z.number().meta({ description: 'The total before.' }),
        after: z.number().meta({ description: 'The total after.' }),
      })
      .meta({ id: 'OrderTotalChange', description: 'A total that changed.' })
      .optional(),
    added: z.array(EditedLine).optional().meta({ description: 'New lines.' }),
    changed: z
      .array(
        z
          .object({
            ...line,
            quantity_before: z.number().optional().meta({ description: 'Where the quantity changed.' }),
            comment: z.literal(true).optional().meta({ description: 'Where the comment was given.' }),
            subselections: z.literal(true).optional().meta({ description: 'Where the choices were given.' }),
          })
          .meta({ id: 'OrderChangedLine', description: 'A line that was changed.' }),
      )
      .optional()
      .meta({ description: 'Changed lines.' }),
    removed: z.array(EditedLine).optional().meta({ description: 'Lines that went.' }),
  })
  .meta({ id: 'OrderDifference', description: 'What an edit of an order changed.' });

/** One thing that happened to an order or because of it. */
export const OrderTimelineEntry = z
  .discriminatedUnion('kind', [
    z
      .object({ at, kind: kind('created'), status: OrderStatus, by: Actor, request_id })
      .meta({ id: 'OrderCreatedEntry', description: 'The order was made.' }),
    z
      .object({
        at,
        kind: kind('moved'),
        from: OrderStatus,
        to: OrderStatus,
        by: Actor,
        request_id,
        reason: z.string().optional().meta({
          description: 'Of a cancellation; or `repair: why`, where a mistake was corrected in the database.',
          example: 'The guest left.',
        }),
      })
      .meta({ id: 'OrderMovedEntry', description: 'The order moved to another status.' }),
    z
      .object({ at, kind: kind('edited'), changes: OrderDifference, by: Actor, request_id })
      .meta({ id: 'OrderEditedEntry', description: 'The order was edited while it was pending.' }),
    z
      .object({
        at,
        kind: kind('booked'),
        entry: z.enum(['payment', 'correction', 'refund']).meta({ description: 'The kind of entry.' }),
        amount: z.number().meta({ description: 'Corrections and refunds are below zero.' }),
        by: Actor,
        request_id,
        reason: z.string().optional().meta({ description: 'Of a correction or a refund.' }),
        person: z.string().optional().meta({ description: 'The person that gave the money back.' }),
      })
      .meta({ id: 'OrderBookedEntry', description: 'Its payment was collected, corrected or refunded.' }),
    z
      .object({ at, kind: kind('event'), ...event, resource_id: Id, request_id })
      .meta({ id: 'OrderEventEntry', description: 'An event of the order or its payment was published.' }),
    z
      .object({
        at,
        kind: kind('delivery'),
        ...event,
        delivery_id: Id,
        endpoint_id: Id,
        attempt,
        status,
        response_code,
        error,
        duration_ms,
      })
      .meta({ id: 'OrderDeliveryEntry', description: 'An attempt to deliver one of these events.' }),
  ])
  .meta({ id: 'OrderTimelineEntry', description: 'An event in the history of an order.' });
export type OrderTimelineEntry = z.infer<typeof OrderTimelineEntry>;

const exampleRequest = '01935a3e-7c11-7e32-9f40-a1b2c3d4e5f6';
const exampleEvent = { event_id: exampleIds.event, event_type: 'order.created' };

/** The history of an order, oldest first. */
export const OrderTimeline = z.array(OrderTimelineEntry).meta({
  id: 'OrderTimeline',
  description: 'Oldest first.',
  example: [
    {
      at: exampleTime('21:05:09.120'),
      kind: 'created',
      status: 'pending',
      by: { type: 'api_key', id: '01935a31-7f20-7c4d-9a1b-2c3d4e5f6071', name: 'ERP' },
      request_id: exampleRequest,
    },
    {
      at: exampleTime('21:05:09.120'),
      kind: 'event',
      ...exampleEvent,
      resource_id: exampleIds.order,
      request_id: exampleRequest,
    },
    {
      at: exampleTime('21:05:09.412'),
      kind: 'delivery',
      ...exampleEvent,
      delivery_id: '01935a3e-7da1-7d0f-8b6c-7a8b9c0d1e2f',
      endpoint_id: exampleIds.endpoint,
      attempt: 1,
      status: 'delivered',
      response_code: 200,
      duration_ms: 84,
    },
    {
      at: exampleTime('21:11:40.508'),
      kind: 'moved',
      from: 'pending',
      to: 'ready',
      by: { type: 'database', name: 'ana by psql' },
    },
  ],
});
export type OrderTimeline = z.infer<typeof OrderTimeline>;
