import type { EventData } from './surface.ts';

/** The body of every delivery; `data` depends on `type`. */
export interface WebhookEvent<Data = Record<string, unknown>> {
  /** Unique: keep it for at least 24 hours to recognize an event that arrives twice. */
  id: string;
  type: string;
  api_version: string;
  /** ISO 8601. */
  created_at: string;
  location_id: string;
  data: Data;
}

/** The name of an event type: `order.created`. */
export type EventType = keyof EventData;

/**
 * An event as it is delivered: `if (event.type === 'order.created')` narrows `data`. A later version of the
 * service may send types that this one does not list: leave them be.
 */
export type ComandaEvent = {
  [Type in EventType]: WebhookEvent<EventData[Type]> & { type: Type };
}[EventType];

/** An event of one type, or of several: `ComandaEventOf<'order.created' | 'order.updated'>`. */
export type ComandaEventOf<Type extends EventType> = Extract<ComandaEvent, { type: Type }>;
