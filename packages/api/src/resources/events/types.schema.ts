import { z } from 'zod';
import { exampleLocation } from '../../examples.ts';
import type { Permission } from '../../permissions.ts';
import { typedAs } from '../../typed-as.ts';
import { Id, ShownExternalId, Timestamp } from '../../wire.ts';
import { itemCounts } from '../bulk/changes.schema.ts';
import { Location } from '../locations/schema.ts';
import { Order, OrderStatus } from '../orders/schema.ts';
import { Payment } from '../payments/schema.ts';
import { DeletedProduct, Product } from '../products/schema.ts';
import { StockEntry } from '../stock/schema.ts';
import { Turn } from '../turns/schema.ts';

/**
 * An event type: its place in the documents, when it fires, the shape of its `data`, and the permission that shows
 * it.
 */
export interface EventRow {
  category: 'Orders' | 'Payments' | 'Catalog' | 'Operations' | 'Turns' | 'Test';
  /** When it fires, in one line. */
  trigger: string;
  data: z.ZodType;
  /**
   * The permission that a key must hold to see events of the type, in addition to `events:read`: the read
   * permission of the resource.
   */
  permission: Permission;
}

const syncResult = {
  job_id: Id,
  status: z.string().meta({ description: 'The current status.', example: 'completed' }),
  ...itemCounts,
};

/** `data` of `sync.completed`. */
export const SyncCompleted = z
  .object(syncResult)
  .meta({ id: 'SyncCompleted', description: 'The job that ended, some of whose items were applied.' });

/** `data` of `sync.failed`. */
export const SyncFailed = z
  .object({ ...syncResult, error: z.string().meta({ description: 'Why, in words.' }) })
  .meta({ id: 'SyncFailed', description: 'The job that ended without an item applied.' });

/** `data` of `catalog.updated`. */
export const CatalogUpdated = z
  .object({
    version: z.int().meta({ description: 'Counts these events per location, from 1.', example: 7 }),
    published_at: Timestamp.meta({
      description: "The catalog's own `version`, when the event was published.",
    }),
  })
  .meta({ id: 'CatalogUpdated', description: 'The catalog that was published.' });

const previousStatus = z.string().meta({ description: 'The status before the move.', example: 'pending' });
const status = z.string().meta({ description: 'The current status.', example: 'ready' });

/** `data` of `order.status_changed`: always the move itself, at any later status of the order. */
export const OrderStatusChanged = z
  .object({
    id: Id,
    previous_status: typedAs(previousStatus, OrderStatus),
    status: typedAs(status, OrderStatus),
    external_id: ShownExternalId.optional().meta({ example: 'PO-7781' }),
  })
  .meta({ id: 'OrderStatusChanged', description: 'The move of an order from one status to another.' });

/** `data` of `settlement.created`. */
export const SettlementCreated = z
  .object({
    id: Id,
    period_start: Timestamp,
    period_end: Timestamp,
    total_amount: z.number().meta({ description: 'The amount collected, 2 decimals.' }),
    total_orders: z.int().meta({ description: 'How many orders there are.' }),
  })
  .meta({ id: 'SettlementCreated', description: 'The settlement that was made.' });

/** `data` of `webhook.test`. */
export const WebhookTestData = z
  .object({
    endpoint_id: Id,
    message: z.string().meta({ description: 'A sentence that says that this is a test.' }),
  })
  .meta({ id: 'WebhookTestData', description: 'The data of a test event.' });

/** Every event type, in the order of the documents. Specification: Events; contract, section 9. */
export const events = {
  'order.created': row('Orders', 'an order was created', Order, 'orders:read'),
  'order.updated': row('Orders', 'an order changed in any way', Order, 'orders:read'),
  'order.status_changed': row(
    'Orders',
    'an order moved to another status',
    OrderStatusChanged,
    'orders:read',
  ),
  'order.cancelled': row('Orders', 'an order was canceled', Order, 'orders:read'),
  'order.completed': row('Orders', 'an order was closed', Order, 'orders:read'),
  'payment.created': row('Payments', 'a payment was created', Payment, 'payments:read'),
  'payment.updated': row('Payments', 'a payment changed in any way', Payment, 'payments:read'),
  'payment.completed': row('Payments', 'a payment was completed', Payment, 'payments:read'),
  'payment.rejected': row('Payments', 'a payment was rejected', Payment, 'payments:read'),
  'product.created': row('Catalog', 'a product was created', Product, 'products:read'),
  'product.updated': row('Catalog', "a product's fields or categories changed", Product, 'products:read'),
  'product.deleted': row('Catalog', 'a product was deleted', DeletedProduct, 'products:read'),
  'stock.updated': row('Catalog', 'the stock of a product changed', StockEntry, 'stock:read'),
  'catalog.updated': row('Catalog', 'the catalog changed or was published', CatalogUpdated, 'catalog:read'),
  'sync.completed': row('Operations', 'a sync job applied items', SyncCompleted, 'sync:read'),
  'sync.failed': row('Operations', 'a sync job could apply nothing', SyncFailed, 'sync:read'),
  'settlement.created': row('Operations', 'a closed turn was settled', SettlementCreated, 'settlements:read'),
  'location.updated': row(
    'Operations',
    'the name, time zone, currency, opening hours or pause of the location changed',
    Location,
    'locations:read',
  ),
  'turn.open': row('Turns', 'a turn was opened', Turn, 'turns:read'),
  'turn.updated': row('Turns', "a turn's own fields changed", Turn, 'turns:read'),
  'turn.closed': row('Turns', 'a turn was closed', Turn, 'turns:read'),
  'webhook.test': row('Test', 'a test was asked for; cannot be subscribed', WebhookTestData, 'webhooks:read'),
} as const satisfies Record<string, EventRow>;

/** The name of an event type. */
export type EventType = keyof typeof events;

/** An event type that an endpoint can subscribe to. */
export type SubscribableEventType = Exclude<EventType, 'webhook.test'>;

/** The content of `data` of an event of that type. */
export type EventData<Type extends EventType> = z.infer<(typeof events)[Type]['data']>;

/** Every event type. */
export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];

/** Every event type that an endpoint can subscribe to. */
export const subscribableEventTypes = eventTypes.filter((type) => type !== 'webhook.test') as [
  SubscribableEventType,
  ...SubscribableEventType[],
];

/** The fields that every delivery carries. `api_version` is that of the path the endpoint was created through. */
export const Envelope = z
  .object({
    id: Id.meta({ description: 'The event, at every attempt; also in X-Comanda-Event-Id.' }),
    type: z.enum(eventTypes),
    api_version: z.enum(['v1', 'v2']),
    created_at: Timestamp,
    location_id: z.uuid().meta({ description: 'The id of the location.', example: exampleLocation.id }),
    data: z.looseObject({}),
  })
  .meta({ id: 'EventEnvelope', description: 'The fields of every delivery.' });
export type Envelope = z.infer<typeof Envelope>;

/** The envelope of one event type, with its own `data`; strict documents and tests read it. */
export function envelopeOf<Type extends EventType>(type: Type) {
  const { data } = events[type];
  return Envelope.extend({
    type: z.literal(type).meta({ description: 'The type of the object.' }),
    data: data as (typeof events)[Type]['data'],
  });
}

function row<Data extends z.ZodType>(
  category: EventRow['category'],
  trigger: string,
  data: Data,
  permission: Permission,
): EventRow & { data: Data } {
  return { category, trigger, data, permission };
}
