import { randomUUID } from 'node:crypto';
import type { ComandaEventOf, EventType } from '@comanda/client';

/** An event for a test: its type and data; what is left out is made up. */
export interface TestEvent<Type extends EventType> {
  type: Type;
  data: ComandaEventOf<Type>['data'];
  /** A new one unless given; give it twice to see whether a receiver does its work once. */
  id?: string | undefined;
  /** ISO 8601; that of the delivery unless given. */
  created_at?: string | undefined;
  location_id?: string | undefined;
}

/** The whole event, as it is delivered at a moment. */
export function wholeEvent<Type extends EventType>(
  { type, data, id = randomUUID(), created_at, location_id = randomUUID() }: TestEvent<Type>,
  at: Date,
): ComandaEventOf<Type> {
  const made = created_at ?? at.toISOString().replace('Z', '+00:00');
  const event = { id, type, api_version: 'v2', created_at: made, location_id, data };
  return event as object as ComandaEventOf<Type>;
}
