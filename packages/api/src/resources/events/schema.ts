import { z } from 'zod';
import { Envelope, type EventData, type EventType, envelopeOf, eventTypes } from '../../events.ts';
import { page, paging } from '../../wire.ts';

/** An event as it was published; `type` tells what `data` is. */
export type FeedEvent = {
  [Type in EventType]: Omit<Envelope, 'type' | 'api_version' | 'data'> & {
    type: Type;
    api_version: 'v2';
    data: EventData<Type>;
  };
}[EventType];

const id = Envelope.shape.id.meta({ example: '01935a3e-7d90-7c3b-a5e6-f70819203142' });
const variants = eventTypes.map((type) => envelopeOf(type).extend({ id, api_version: z.literal('v2') }));

/** An event as it was published: the very body that v2 endpoints receive. */
export const FeedEvent = z.discriminatedUnion('type', variants as [(typeof variants)[number]]).meta({
  id: 'PublishedEvent',
  description: 'An event as it was published, with the data of its type.',
}) as z.ZodType<unknown, unknown> as z.ZodType<FeedEvent>;

/** Where to read on, and what. */
export const EventList = z.object({
  after: z.string().optional().meta({
    description: 'The id of the last event that was read; without it, from the oldest of the last 30 days.',
    example: '01935a3e-7d90-7c3b-a5e6-f70819203142',
  }),
  types: z
    .array(z.enum(eventTypes))
    .min(1, 'must name at least one event type')
    .optional()
    .meta({ description: 'Only events of these types.', example: ['order.created', 'order.status_changed'] }),
  limit: paging.limit,
});
export type EventList = z.infer<typeof EventList>;

/** A part of the feed. `pagination.total` is how many events there are after `after`, these among them. */
export const EventPage = page(FeedEvent);
