import { dataIn } from '@comanda/api/services';
import { publishingBytes, type Queryable, statement } from '@comanda/db';
import type { PlannedEvent } from './plan.ts';

/** An endpoint that may receive events. */
export interface Endpoint {
  id: string;
  locationId: string;
  apiVersion: 'v1' | 'v2';
  events: string[];
}

/** An event that has its id and its number. */
export interface NumberedEvent extends PlannedEvent {
  id: string;
  number: bigint;
  createdAt: string;
  receivers: Endpoint[];
}

/** The same with the text of its `data`, which all events of a resource share. */
export interface ComposedEvent extends NumberedEvent {
  text: string;
}

/** An event as it is stored. */
interface StoredEvent extends NumberedEvent {
  /** As endpoints of v2 get it, and the feed and streams show it. */
  body: string;
  /** As endpoints of v1 get it; null where that differs by its version alone. */
  bodyV1: string | null;
}

/** Stores the events. Their bodies are made for each statement and dropped after it. */
export async function storeEvents(tx: Queryable, composed: readonly ComposedEvent[]): Promise<void> {
  for (const part of partsOf(composed)) await insert(tx, part);
}

async function insert(tx: Queryable, events: readonly StoredEvent[]): Promise<void> {
  await tx.run(insertEvents, [
    events.map(({ locationId }) => locationId),
    events.map(({ id }) => id),
    events.map(({ number }) => number),
    events.map(({ type }) => type),
    events.map(({ resourceId }) => resourceId),
    events.map(({ body }) => body),
    events.map(({ bodyV1 }) => bodyV1),
    events.map(({ requestId }) => requestId),
    events.map(({ traceparent }) => traceparent),
    events.map(({ capturedAt }) => capturedAt),
  ]);
}

/** Rows per statement: keeps a single parameter in the low megabytes. */
export const chunk = 2_000;

/** Events for one statement each: so many, or as many as hold `publishingBytes`. */
function* partsOf(events: readonly ComposedEvent[]): Generator<StoredEvent[]> {
  let part: StoredEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const stored = withBodies(event);
    part.push(stored);
    bytes += Buffer.byteLength(stored.body) + Buffer.byteLength(stored.bodyV1 ?? '');
    if (part.length < chunk && bytes < publishingBytes) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  if (part.length > 0) yield part;
}

function withBodies(event: ComposedEvent): StoredEvent {
  return {
    ...event,
    body: bodyOf(event, 'v2'),
    bodyV1: dataIn(event.type, 'v1', event.text) === event.text ? null : bodyOf(event, 'v1'),
  };
}

/**
 * The body of an event for endpoints of a family. The text before `created_at` has a length that the type decides,
 * with which `body_in_v1` (prisma/sql/webhooks.sql) finds the version.
 */
export function bodyOf(
  { id, type, createdAt, locationId, text }: Omit<ComposedEvent, 'receivers' | 'number'>,
  version: 'v1' | 'v2',
): string {
  return (
    `{"id":"${id}","type":"${type}","api_version":"${version}","created_at":"${createdAt}",` +
    `"location_id":"${locationId}","data":${dataIn(type, version, text)}}`
  );
}

const insertEvents = statement(
  'relay_insert_events',
  `insert into events (location_id, id, number, type, resource_id, body, body_v1, request_id, traceparent, created_at)
   select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::text[], $7::text[],
     $8::text[], $9::text[], $10::timestamptz[])`,
);
