import { pageBytes, readerBytes, statement } from '@comanda/db';
import { runsOfTypes } from './runs.ts';

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

// Bytes are summed up along the events, of each of which the length alone is read; so only what fits is read.
const before = (order: string) =>
  `sum(octet_length(e.body)) over (order by ${order}) - octet_length(e.body) as before`;

/** The events behind a place each of some locations, in the order of these, until they hold `pageBytes`. */
export const readNews = statement<NewsRow>(
  'read_news',
  `select n."locationId", n.number::text, n.id, n.type, n.body from (
     select w.location_id as "locationId", w.place, e.number, e.id, e.type, e.body, ${before('w.place, e.number')}
     from unnest($1::uuid[], $2::bigint[]) with ordinality as w (location_id, number, place)
     cross join lateral (
       select * from events where location_id = w.location_id and number > w.number order by number limit $3) e
   ) n where n.before < ${pageBytes} order by n.place, n.number`,
);

const missed = (found: string) => `select m."locationId", m.number::text, m.id, m.type, m.body from (
     select e.location_id as "locationId", e.number, e.id, e.type, e.body, ${before('e.number')} from (${found}) e
   ) m where m.before < ${readerBytes} order by m.number`;

/** The same of one location, until they hold `readerBytes`. */
export const readMissed = statement<NewsRow>(
  'read_missed_news',
  missed(
    `select * from events e where e.location_id = $1::uuid and e.number > $2::bigint order by e.number limit $3`,
  ),
);

/** The same of some types. */
export const readMissedOfTypes = statement<NewsRow>('read_missed_news_of_types', missed(runsOfTypes('*')));

export const newestNumber = statement<{ number: string }>(
  'newest_event_number',
  `select number::text from events where location_id = $1::uuid order by number desc limit 1`,
);
