import { operation, router } from '../../call/operation.ts';
import { subscription } from '../../call/subscription.ts';
import { EventList, EventPage, EventWatch, type FeedEvent } from './schema.ts';
import * as events from './service.ts';
import { watch } from './watch.service.ts';

const hiding =
  'Types whose permission the key lacks are left out, and `X-Hidden-Event-Types` names them; one that is asked for in `types` is a ' +
  '`permission_denied`.';

/** The feed of events; contract: webhooks and events. */
export const eventsRouter = router({
  list: operation({
    permission: 'events:read',
    summary: 'Read the feed of events',
    description:
      'The events of the last 30 days, oldest first, each exactly as endpoints of v2 receive it. Read on ' +
      'with the id of the last one as `after`: nothing is skipped or seen twice. `total` counts what is left to ' +
      `read, this page included. ${hiding}`,
    rest: ['GET /v2/events'],
    hidesEventTypes: true,
  })
    .input(EventList)
    .output(EventPage)
    .query(({ ctx, input }) => events.list(ctx, input)),
  watch: subscription<typeof EventWatch, FeedEvent>(
    {
      permission: 'events:read',
      summary: 'Watch events as they are published',
      description:
        'A stream of server-sent events: the events of the feed, from now on or behind `after`, each event once and in ' +
        'its order, with its id, its type as `event` and as `data` exactly what endpoints of v2 receive. Open it again ' +
        'with `Last-Event-ID` (browsers and most libraries do so by themselves) and nothing is missed. It counts as one ' +
        'request, and ends within a second of its key being revoked; an error that ends it is sent as a last event, `error`. ' +
        `After 15 s without an event a comment says that it lives. ${hiding}`,
      hidesEventTypes: true,
      rest: 'GET /v2/events/stream',
    },
    EventWatch,
    ({ ctx, input }) => watch(ctx, input),
  ),
});
