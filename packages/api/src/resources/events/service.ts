import { isId, type Queryable, statement } from '@comanda/db';
import { invalid } from '../../errors.ts';
import { type Answer, answerPage } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { beforeAll, type EventList, type EventPage } from './schema.ts';

/**
 * Reads the feed of published events in the order of their publication, the bodies exactly as they are sent. Events
 * are numbered under the relay's lock, so none can appear before one that was read. Throws `validation_error` for an
 * `after` that is no event of the location, or no longer kept.
 */
export async function list(
  ctx: CallContext,
  { after, since, types, limit }: EventList,
): Promise<Answer<EventPage>> {
  const { locationId } = ctx.caller;
  if (after === 'latest') {
    const [last] = await ctx.reads.run(findNewest, [locationId]);
    return { value: { data: [], pagination: { limit, offset: 0, total: 0, next: last?.id ?? beforeAll } } };
  }
  const [page] = await ctx.reads.session(async (on) => {
    const number = await (after === undefined
      ? start(on, locationId, since)
      : positionOf(on, locationId, after));
    return types === undefined
      ? on.run(readFeed, [locationId, number, limit])
      : on.run(readFeedOfTypes, [locationId, number, limit, [...new Set(types)]]);
  });
  return answerPage(page, { limit, offset: 0 });
}

async function start(on: Queryable, locationId: string, since?: string): Promise<string> {
  const [first] = await on.run(findFeedStart, [locationId, since === undefined ? null : new Date(since)]);
  return first?.number ?? '0';
}

async function positionOf(on: Queryable, locationId: string, id: string): Promise<string> {
  if (id === beforeAll) return '0';
  const [found] = isId(id) ? await on.run(findFeedPosition, [locationId, id]) : [];
  if (found !== undefined) return found.number;
  throw invalid({ path: 'after', message: 'is no event of this location, or one that is no longer kept' });
}

// The number before the oldest from a moment on, 30 days ago at most. Numbers rise with time, but for transactions that
// were under way at once: an hour before that moment is found by halving, and from there on each event is looked at.
const findFeedStart = statement<{ number: string }>(
  'find_feed_start',
  `with recursive wanted as (
     select greatest($2::timestamptz, now() - interval '30 days') as moment
   ), walk as (
     select (select e.number from events e where e.location_id = $1::uuid order by e.number limit 1) as low,
       (select e.number from events e where e.location_id = $1::uuid order by e.number desc limit 1) as high
     union all
     select case when p.before then p.number + 1 else w.low end, case when p.before then w.high else (w.low + w.high) / 2 end
     from walk w cross join lateral (
       select e.number, e.created_at < (select moment from wanted) - interval '1 hour' as before from events e
       where e.location_id = $1::uuid and e.number >= (w.low + w.high) / 2 order by e.number limit 1) p
     where w.low < w.high
   )
   select coalesce(
     (select e.number - 1 from events e
       where e.location_id = $1::uuid and e.number >= (select max(low) from walk)
         and e.created_at >= (select moment from wanted) order by e.number limit 1),
     (select max(high) from walk), 0)::text as number`,
);

const findNewest = statement<{ id: string }>(
  'find_newest_event',
  'select e.id from events e where e.location_id = $1::uuid order by e.number desc limit 1',
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
