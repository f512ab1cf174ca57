import { pageBytes, statement } from '@comanda/db';
import type { PageText } from '../../call/page-text.ts';
import { runOfType, runsOfTypes } from '../../live/runs.ts';

// The number before the lowest from a moment on, 30 days ago at most. A change of that moment was published then or
// later, and numbers rise with the publishing: its beginning is found by halving (an hour early, should a clock have
// been put back), and from there on each event is looked at.
const feedStart = (first: string) =>
  `with recursive wanted as (
     select greatest($2::timestamptz, now() - interval '30 days') as moment
   ), walk as (
     select (select e.number from events e where e.location_id = $1::uuid order by e.number limit 1) as low,
       (select e.number from events e where e.location_id = $1::uuid order by e.number desc limit 1) as high
     union all
     select case when p.before then p.number + 1 else w.low end, case when p.before then w.high else (w.low + w.high) / 2 end
     from walk w cross join lateral (
       select e.number, e.published_at < (select moment from wanted) - interval '1 hour' as before
       from event_from($1::uuid, (w.low + w.high) / 2, '-infinity') e) p
     where w.low < w.high
   )
   select coalesce((${first}), (select max(high) from walk), 0)::text as number`;

export const findFeedStart = statement<{ number: string }>(
  'find_feed_start',
  feedStart(
    'select e.number - 1 from event_from($1::uuid, (select max(low) from walk), (select moment from wanted)) e',
  ),
);

// Of the types that are shown: hidden ones are not looked at.
export const findFeedStartOfTypes = statement<{ number: string }>(
  'find_feed_start_of_types',
  feedStart(
    `select min(found.number) - 1 from unnest($3::text[]) as w (type) cross join lateral (
       select e.number from events e
       where ${runOfType('(select max(low) - 1 from walk)')} and e.created_at >= (select moment from wanted)
       order by e.type, e.number limit 1) found`,
  ),
);

export const findNewest = statement<{ id: string; number: string }>(
  'find_newest_event',
  'select e.id, e.number::text as number from events e where e.location_id = $1::uuid order by e.number desc limit 1',
);

// However many events of others came since, none of them is read.
export const findNewestOfTypes = statement<{ id: string; number: string }>(
  'find_newest_event_of_types',
  `select found.id, found.number::text as number from unnest($2::text[]) as w (type), lateral (
     select e.id, e.number from events e
     where ${runOfType('0')} order by e.type desc, e.number desc limit 1) found
   order by found.number desc limit 1`,
);

export const findFeedPosition = statement<{ number: string }>(
  'find_feed_position',
  'select e.number::text as number from events e where e.location_id = $1::uuid and e.id = $2::uuid',
);

// `comanda restored` writes the audit. A missing event that was made before a restore may have been removed by any
// restore since then.
export const findRestore = statement<{ since: Date | null }>(
  'find_restore',
  `select min((a.changes ->> 'since')::timestamptz) as since from audit_entries a
   where a.location_id = $1::uuid and a.resource_ids is null and a.operation = 'locations.restored' and a.created_at >= $2::timestamptz`,
);

// The lengths are read without the texts, so only those that fit are read.
const untilFull = (
  found: string,
) => `coalesce('[' || string_agg(p.body, ',' order by p.number) || ']', '[]') as data,
     nullif(count(*), coalesce(max(p.found), 0))::int as cut
   from (select e.number, e.body, count(*) over () as found,
       sum(octet_length(e.body)) over (order by e.number) - octet_length(e.body) as before
     from (${found}) e) p
   where p.before < ${pageBytes}`;

export const readFeed = statement<PageText>(
  'read_event_feed',
  `select (select count(*) from events e where e.location_id = $1::uuid and e.number > $2::bigint)::int as total,
     ${untilFull(`select e.number, e.body from events e where e.location_id = $1::uuid and e.number > $2::bigint
       order by e.number limit $3`)}`,
);

export const readFeedOfTypes = statement<PageText>(
  'read_event_feed_of_types',
  `select (select coalesce(sum(seen.events), 0) from unnest($4::text[]) as w (type) cross join lateral (
       select count(*) as events from events e where ${runOfType('$2::bigint')}) seen)::int as total,
     ${untilFull(runsOfTypes('number, body'))}`,
);
