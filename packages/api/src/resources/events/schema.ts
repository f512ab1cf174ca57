import { z } from 'zod';
import { list } from '../../lists.ts';
import { aheadSentence, readFrom } from '../../moments.ts';
import { excludes } from '../../schema-words.ts';
import { examplePage, Pagination, page, paging, TimestampFilter } from '../../wire.ts';
import { eventBodies } from './bodies.schema.ts';
import { Envelope, type EventData, type EventType, envelopeOf, events, eventTypes } from './types.schema.ts';

/** An event as it was published; `type` determines the shape of `data`. */
export type FeedEvent = {
  [Type in EventType]: Omit<Envelope, 'type' | 'api_version' | 'data'> & {
    type: Type;
    api_version: 'v2';
    data: EventData<Type>;
  };
}[EventType];

const id = Envelope.shape.id.meta({ example: '01935a3e-7d90-7c3b-a5e6-f70819203142' });

/** The body of each event type as v2 endpoints receive it and the feed shows it: `OrderCreatedEvent` and so on. */
export const publishedEvents = Object.fromEntries(
  eventTypes.map((type) => [type, published(type)]),
) as Record<EventType, ReturnType<typeof published>>;
const variants = Object.values(publishedEvents);

/** An event as it was published: the very body that v2 endpoints receive. */
export const FeedEvent = z.discriminatedUnion('type', variants as [(typeof variants)[number]]).meta({
  id: 'PublishedEvent',
  description: 'An event as it was published, with the data of its type.',
}) as z.ZodType<unknown, unknown> as z.ZodType<FeedEvent>;

/** Where to read on, and what. */
export const EventList = z
  .object({
    after: z
      .string()
      .optional()
      .meta({
        description:
          'The id of the last event that was read; without it, from the oldest of the last 30 days. `latest` returns no ' +
          'event, and in `pagination.next` what to give as `after` from now on.',
        example: '01935a3e-7d90-7c3b-a5e6-f70819203142',
      }),
    since: readFrom(TimestampFilter)
      .optional()
      .meta({
        description: `From the first event of this moment or later on; not together with \`after\`. ${aheadSentence}`,
        example: '2026-01-31T00:00:00Z',
        ...excludes('after'),
      }),
    types: list(z.enum(eventTypes), 100)
      .min(1, 'must name at least one event type')
      .optional()
      .meta({
        description: 'Only events of these types.',
        example: ['order.created', 'order.status_changed'],
      }),
    limit: paging.limit,
  })
  .refine(({ after, since }) => after === undefined || since === undefined, {
    path: ['since'],
    error: 'must not be given with after',
  });
export type EventList = z.infer<typeof EventList>;

/** From where on to watch, and what. */
export const EventWatch = z.object({
  after: z.string().optional().meta({
    description: 'The id of the last event that was read; without it, or as `latest`, from now on.',
    example: '01935a3e-7d90-7c3b-a5e6-f70819203142',
  }),
  types: EventList.shape.types,
  lastEventId: z.string().optional().meta({
    description: 'The same as `after`, set by clients that come again.',
  }),
});
export type EventWatch = z.infer<typeof EventWatch>;

/** A part of the feed. `pagination.total` is how many events there are after `after`, these among them. */
export const EventPage = page(FeedEvent).extend({
  pagination: Pagination.extend({
    next: z.string().optional().meta({
      description: 'With `after=latest`: what to give as `after` from now on.',
      example: '01935a3e-7d90-7c3b-a5e6-f70819203142',
    }),
  }).meta({ id: 'EventPagination', description: 'How much there is to read.', example: examplePage }),
});
export type EventPage = z.infer<typeof EventPage>;

/** The place before the first event, where a location has none yet. */
export const beforeAll = '00000000-0000-0000-0000-000000000000';

function published(type: EventType) {
  const words = type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const body = (eventBodies as Partial<Record<EventType, string>>)[type];
  return envelopeOf(type)
    .extend({
      id,
      api_version: z.literal('v2').meta({ description: 'The path family whose shapes the event has.' }),
    })
    .meta({
      id: `${words}Event`,
      description: `Sent when ${events[type].trigger}.`,
      ...(body !== undefined && { example: JSON.parse(body) as unknown }),
    });
}
