import { statement } from '@comanda/db';

/** An event as it lies in the feed. */
export interface NewsRow {
  locationId: string;
  /** Its place in the feed of its location. */
  number: string;
  id: string;
  type: string;
  /** The text that endpoints of v2 receive. */
  body: string;
}

/** The events behind a place each of some locations. */
export const readNews = statement<NewsRow>(
  'read_news',
  `select w.location_id as "locationId", e.number::text, e.id, e.type, e.body
   from unnest($1::uuid[], $2::bigint[]) as w (location_id, number)
   cross join lateral (
     select * from events where location_id = w.location_id and number > w.number order by number limit $3) e
   order by w.location_id, e.number`,
);

/** The same of one location and, where it is not null, of some types. */
export const readMissed = statement<NewsRow>(
  'read_missed_news',
  `select e.location_id as "locationId", e.number::text, e.id, e.type, e.body from events e
   where e.location_id = $1::uuid and e.number > $2::bigint order by e.number limit $3`,
);

export const readMissedOfTypes = statement<NewsRow>(
  'read_missed_news_of_types',
  `select found.* from unnest($4::text[]) as w (type) cross join lateral (
     select e.location_id as "locationId", e.number::text, e.id, e.type, e.body from events e
     where e.location_id = $1::uuid and e.type = w.type and e.number > $2::bigint order by e.number limit $3) found
   order by found.number::bigint limit $3`,
);

export const newestNumber = statement<{ number: string }>(
  'newest_event_number',
  `select number::text from events where location_id = $1::uuid order by number desc limit 1`,
);
