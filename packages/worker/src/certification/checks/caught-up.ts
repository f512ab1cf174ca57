import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { cause, causedType, findEndpoint } from '../events.ts';
import type { Call } from '../statements.ts';
import { take, waitFor } from '../steps.ts';

const toCatchUpSeconds = 90;

/** The endpoint was down; the integration reads the event that it missed from the feed or a stream, or has it sent again. */
export const caughtUp: Check = {
  title: 'After an outage of the endpoint what was missed is fetched',
  needs: ['receives_webhooks'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/feed',
  *play(run) {
    const types = [causedType(run, yield* findEndpoint())];
    const { first: missed, newest } = yield* cause(run, types, { isDown: true });
    yield* take({ name: 'fail_delivery', eventId: missed.id });
    run.did('recorded five failed attempts to deliver it, as when your endpoint is down for hours');
    const found = yield* waitFor({
      action: 'catch_up',
      text: 'Your endpoint was down. Let your program catch up now, as after an outage.',
      seconds: toCatchUpSeconds,
      since: newest,
      eventId: missed.id,
      look: ({ calls, isDelivered = false }) =>
        calls.find((call) => brings(call, missed.id)) ??
        (isDelivered ? `the endpoint took ${missed.type} ${missed.id} from a replay` : undefined),
    });
    if (found === undefined)
      throw new Unmet(
        `Neither a page of the feed nor a stream nor a replay brought ${missed.type} ${missed.id} within ${toCatchUpSeconds} s.`,
      );
    run.saw(found);
  },
};

/** Whether the answer holds the event. */
const brings = ({ operation, answered }: Call, eventId: string): boolean =>
  /^events\.(list|watch)$/.test(operation) && answered.includes(eventId);
