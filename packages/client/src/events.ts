import type { EventData } from './surface.ts';
import type { WebhookEvent } from './verify-webhook.ts';

/** The name of an event type: `order.created`. */
export type EventType = keyof EventData;

/**
 * An event as it is delivered: `if (event.type === 'order.created')` tells what `data` holds. A later version of
 * the service may send types that this one does not list: leave them be.
 */
export type ComandaEvent = {
  [Type in EventType]: WebhookEvent<EventData[Type]> & { type: Type };
}[EventType];

/** An event of one type, or of several: `ComandaEventOf<'order.created' | 'order.updated'>`. */
export type ComandaEventOf<Type extends EventType> = Extract<ComandaEvent, { type: Type }>;
