import type { CapturedChange, Event } from '../generated/prisma/client.ts';
import { plain, table, words } from './table.ts';

const copy = { what: 'copies of orders', erasedTo: 'copies', until: 'KEEP_EVENTS_DAYS' } as const;
const captured = {
  what: 'copies of deleted orders',
  erasedTo: 'copies',
  until: 'they are published',
} as const;

export const events = table<Event>()('events', {
  columns: {
    ...plain('location_id id number type resource_id request_id traceparent created_at published_at'),
    body: { personal: copy },
    body_v1: { personal: copy },
  },
  people: 'read',
  service: ['select', 'insert', 'update'],
  belongs: { sandbox: { kept: 'a cursor of the feed goes on' }, readBy: 'number' },
  serviceOnly: 'events have been published to others and cannot be edited',
  guards: [
    {
      never: words(
        'location_id id number type resource_id body body_v1 request_id traceparent',
        'created_at',
      ),
      sentence: 'an event never changes',
    },
    { kept: 'events are kept for KEEP_EVENTS_DAYS' },
  ],
});

export const capturedChanges = table<CapturedChange>()('captured_changes', {
  schema: 'internal',
  key: ['id', 'line'],
  columns: {
    ...plain(
      'location_id line seed part resource operation resource_ids changed in_catalog request_id',
      'traceparent captured_at failures retry_at error',
    ),
    id: { sequence: 'internal.captured_changes_id_seq' },
    before: { personal: captured },
    after: { personal: captured },
  },
  people: 'none',
  belongs: { sandbox: { kept: 'what was changed is still published' }, derived: true, pending: true },
  serviceOnly: "what waits to be published is the service's: see comanda doctor",
});
