// Made by `npm run docs` from packages/api/src/resources/events/types.schema.ts; do not edit.
import type { EventType, Permission } from '@comanda/client';

/** Every event type that an endpoint can subscribe to, with the permission that shows it. */
export const eventTypes = {
  'order.created': 'orders:read',
  'order.updated': 'orders:read',
  'order.status_changed': 'orders:read',
  'order.cancelled': 'orders:read',
  'order.completed': 'orders:read',
  'payment.created': 'payments:read',
  'payment.updated': 'payments:read',
  'payment.completed': 'payments:read',
  'payment.rejected': 'payments:read',
  'product.created': 'products:read',
  'product.updated': 'products:read',
  'product.deleted': 'products:read',
  'stock.updated': 'stock:read',
  'catalog.updated': 'catalog:read',
  'sync.completed': 'sync:read',
  'sync.failed': 'sync:read',
  'settlement.created': 'settlements:read',
  'location.updated': 'locations:read',
  'turn.open': 'turns:read',
  'turn.updated': 'turns:read',
  'turn.closed': 'turns:read',
} as const satisfies Partial<Record<EventType, Permission>>;
