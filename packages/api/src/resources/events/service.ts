import { isId, type Queryable, statement } from '@comanda/db';
import { invalid } from '../../errors.ts';
import { type Answer, answerPage } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import type { Page } from '../../wire.ts';
import type { EventList, FeedEvent } from './schema.ts';

/**
 * Reads the feed of published events in the order of their publication, the bodies exactly as they are sent. Events
 * are numbered under the relay's lock, so none can appear before one that was read. Throws `validation_error` for an
 * `after` that is no event of the location, or no longer kept.
 */
export async function list(
  ctx: CallContext,
  { after, types, limit }: EventList,
): Promise<Answer<Page<FeedEvent>>> {
  const { locationId } = ctx.caller;
  const [page] = await ctx.reads.session(async (on) => {
    const number = await (after === undefined ? start(on, locationId) : positionOf(on, locationId, after));
    return types === undefined
      ? on.run(readFeed, [locationId, number, limit])
      : on.run(readFeedOfTypes, [locationId, number, limit, [...new Set(types)]]);
  });
  return answerPage(page, { limit, offset: 0 });
}

async function start(on: Queryable, locationId: string): Promise<string> {
  const [first] = await on.run(findFeedStart, [locationId]);
  return first?.number ?? '0';
}

async function positionOf(on: Queryable, locationId: string, id: string): Promise<string> {
  const [found] = isId(id) ? await on.run(findFeedPosition, [locationId, id]) : [];
  if (found !== undefined) return found.number;
  throw invalid({ path: 'after', message: 'is no event of this location, or one that is no longer kept' });
}

// The number before the oldest of 30 days: numbers rise with time, but for transactions that were under way at once.
const findFeedStart = statement<{ number: string }>(
  'find_feed_start',
  `select coalesce(
     (select e.number - 1 from events e
       where e.location_id = $1::uuid and e.created_at >= now() - interval '30 days' order by e.number limit 1),
     (select max(e.number) from events e where e.location_id = $1::uuid), 0)::text as number`,
);

const findFeedPosition = statement<{ number: string }>(
  'find_feed_position',
  'select e.number::text as number from events e where e.location_id = $1::uuid and e.id = $2::uuid',
);

interface FeedText {
  data: string;
  total: number;
}

const readFeed = statement<FeedText>(
  'read_event_feed',
  `select (select count(*) from events e where e.location_id = $1::uuid and e.number > $2::bigint)::int as total,
     coalesce((select '[' || string_agg(p.body, ',' order by p.number) || ']' from (
       select e.number, e.body from events e where e.location_id = $1::uuid and e.number > $2::bigint
       order by e.number limit $3) p), '[]') as data`,
);

// The first of every type, and of these the first: each type has its own run of the index.
const readFeedOfTypes = statement<FeedText>(
  'read_event_feed_of_types',
  `select (select count(*) from events e
       where e.location_id = $1::uuid and e.type = any ($4::text[]) and e.number > $2::bigint)::int as total,
     coalesce((select '[' || string_agg(p.body, ',' order by p.number) || ']' from (
       select found.number, found.body from unnest($4::text[]) as w (type), lateral (
         select e.number, e.body from events e
         where e.location_id = $1::uuid and e.type = w.type and e.number > $2::bigint order by e.number limit $3) found
       order by found.number limit $3) p), '[]') as data`,
);
