import { isId } from '@comanda/db';
import { type Check, Unmet } from '../check.ts';
import { changeCatalog, whileDown } from '../events.ts';
import type { Run } from '../run.ts';
import type { Call, PublishedEvent } from '../statements.ts';
import * as sql from '../statements.ts';

const toCatchUpSeconds = 90;

/** The endpoint was down; what it missed is read from the feed. */
export const caughtUp: Check = {
  title: 'After an outage of the endpoint what was missed is fetched from the feed',
  needs: ['receives_webhooks'],
  leansOn: [],
  read: '/docs/guides/feed',
  async play(run) {
    const endpoint = await run.endpoint();
    const missed = await whileDown(run, endpoint, () => changeCatalog(run));
    await run.tools.database.run(sql.recordPlayed, [
      ...[run.locationId, endpoint.id, missed.id, missed.type, 5, 'dead', null],
      'the endpoint was down (played by a certification)',
    ]);
    run.did('recorded five failed attempts to deliver it, as when your endpoint is down for hours');
    const since = await run.newest();
    const read = await run.waitFor({
      action: 'catch_up',
      text: 'Your endpoint was down. Let your program catch up from the feed now, as after an outage.',
      seconds: toCatchUpSeconds,
      since,
      async look(calls) {
        for (const call of calls) if (await hasRead(run, call, missed)) return call;
        return undefined;
      },
    });
    if (read === undefined)
      throw new Unmet(`The feed was not read over ${missed.id} within ${toCatchUpSeconds} s.`);
    await run.saw(read);
  },
};

/** Whether the page holds the event: it begins before it, and has room up to it. */
async function hasRead(
  { locationId, tools }: Run,
  { operation, request, status }: Call,
  missed: PublishedEvent,
): Promise<boolean> {
  if (operation !== 'events.list' || status !== 200) return false;
  const query = new URL(request.replace(/^\S+ /, ''), 'http://localhost').searchParams;
  const [after, types] = [query.get('after'), query.get('types')];
  if (after === 'latest' || (types !== null && !types.split(',').includes(missed.type))) return false;
  const moment = query.get('since') ?? '-infinity';
  const values = [locationId, after !== null && isId(after) ? after : null, moment, missed.number];
  const [place] = await tools.database.run(sql.placeInFeed, values);
  const began = place?.number ?? 0;
  const reaches = types !== null || began + Number(query.get('limit') ?? 50) >= missed.number;
  return began < missed.number && reaches;
}
