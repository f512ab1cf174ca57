import type { CapturedChange, Event } from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

const copy = { what: 'copies of orders', erasedTo: 'copies', until: 'KEEP_EVENTS_DAYS' } as const;
const captured = {
  what: 'copies of deleted orders',
  erasedTo: 'copies',
  until: 'they are published',
} as const;

export const events = table<Event>()('events', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    number: {},
    type: {},
    resource_id: {},
    body: { personal: copy },
    body_v1: { personal: copy },
    request_id: {},
    traceparent: {},
    created_at: {},
    published_at: {},
  },
  access: { service: ['select', 'insert', 'update'], people: 'read' },
  belongs: { to: 'location', sandbox: { kept: 'a cursor of the feed goes on' }, readBy: 'number' },
  guards: [
    { serviceOnly: 'all', sentence: 'events are what was told to others: nobody edits them' },
    {
      never: [
        ...(['location_id', 'id', 'number', 'type', 'resource_id', 'body', 'body_v1', 'request_id'] as const),
        ...(['traceparent', 'created_at'] as const),
      ],
      sentence: 'an event never changes',
    },
    { kept: 'events are kept for KEEP_EVENTS_DAYS' },
  ],
});

export const capturedChanges = table<CapturedChange>()('captured_changes', {
  schema: 'internal',
  key: ['id', 'line'],
  columns: {
    location_id: {},
    id: { sequence: 'internal.captured_changes_id_seq' },
    line: {},
    seed: {},
    part: {},
    resource: {},
    operation: {},
    resource_ids: {},
    changed: {},
    before: { personal: captured },
    after: { personal: captured },
    in_catalog: {},
    request_id: {},
    traceparent: {},
    captured_at: {},
    failures: {},
    retry_at: {},
    error: {},
  },
  access: { service: everything, people: 'none' },
  belongs: { to: 'location', sandbox: { kept: 'what was changed is still published' }, derived: true },
  guards: [
    {
      serviceOnly: 'all',
      sentence: "what waits to be published is the service's: see comanda doctor",
    },
  ],
});
