import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { causeEvent, whileDown } from '../events.ts';
import type { Call } from '../statements.ts';
import * as sql from '../statements.ts';

const toCatchUpSeconds = 90;

/** The endpoint was down; the integration reads the event that it missed from the feed or a stream, or has it sent again. */
export const caughtUp: Check = {
  title: 'After an outage of the endpoint what was missed is fetched',
  needs: ['receives_webhooks'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/feed',
  async play(run) {
    const endpoint = await run.endpoint();
    const { locationId, tools } = run;
    const since = await run.newest();
    const missed = await whileDown(run, endpoint, () => causeEvent(run, endpoint));
    await tools.database.run(sql.recordPlayed, [
      ...[locationId, endpoint.id, missed.id, missed.type, 5, 'dead', null],
      'the endpoint was down (played by a certification)',
    ]);
    run.did('recorded five failed attempts to deliver it, as when your endpoint is down for hours');
    const found = await run.waitFor({
      action: 'catch_up',
      text: 'Your endpoint was down. Let your program catch up now, as after an outage.',
      seconds: toCatchUpSeconds,
      since,
      async look(calls) {
        const read = calls.find((call) => brings(call, missed.id));
        if (read !== undefined) return read;
        const [sent] = await tools.database.run(sql.isDelivered, [locationId, endpoint.id, missed.id]);
        return sent && `the endpoint took ${missed.type} ${missed.id} from a replay`;
      },
    });
    if (found === undefined)
      throw new Unmet(
        `Neither a page of the feed nor a stream nor a replay brought ${missed.type} ${missed.id} within ${toCatchUpSeconds} s.`,
      );
    await run.saw(found);
  },
};

/** Whether the answer holds the event. */
const brings = ({ operation, answered }: Call, eventId: string): boolean =>
  /^events\.(list|watch)$/.test(operation) && answered.includes(eventId);
