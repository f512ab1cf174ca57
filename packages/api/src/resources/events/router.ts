import { operation, router } from '../../request/operation.ts';
import { EventList, EventPage } from './schema.ts';
import * as events from './service.ts';

/** The feed of events; contract: webhooks and events. */
export const eventsRouter = router({
  list: operation({
    permission: 'events:read',
    summary: 'Read the feed of events',
    description:
      'What was published in the last 30 days, oldest first, each exactly as endpoints of v2 receive it. Read on ' +
      'with the id of the last one as `after`: nothing is skipped or seen twice. `total` counts what is left to ' +
      'read, this page included.',
    rest: ['GET /v2/events'],
    list: true,
  })
    .input(EventList)
    .output(EventPage)
    .query(({ ctx, input }) => events.list(ctx, input)),
});
