import { statement } from '@comanda/db';

/** The time of day and from when on something may still come, both as Unix time in milliseconds. */
export const readHorizon = statement<{ asked: number; horizon: number }>(
  'read_change_horizon',
  `select (extract(epoch from asked) * 1000)::float8 as asked, (extract(epoch from horizon) * 1000)::float8 as horizon
   from change_horizon()`,
);

/** A page of what has changed: its entries as the text of a JSON array, and the place of the last of them. */
export interface ChangesText {
  data: string;
  total: number;
  found: number;
  moment: number | null;
  id: string | null;
}

/** The first parameter that `changesText` leaves to filters. */
export const firstFilter = 8;

/** Rows of a table that stand after the place of $4 and $5, up to $6. */
export const afterPlace = (moment: string, id: string) =>
  `(${moment}, ${id}) > ($4::timestamptz, $5::uuid) and ${moment} <= $6::timestamptz`;

/**
 * The text of a statement. `rows` selects `id` and `moment` of all that is to be read; `entries` an aggregate of what a
 * `page` of them shows, from there on. $1 location, $2 limit, $3 offset, $4 to $6 see `afterPlace`, $7 the total where it
 * is known. Counted is only what is not.
 */
export const changesText = (rows: string, entries: string) =>
  `with page as materialized (
     select * from (${rows} order by moment, id limit 200 offset $3::bigint) found limit $2
   )
   select (select ${entries}) as data, coalesce($7::int, (select count(*) from (${rows}) every)::int) as total,
     (select count(*) from page)::int as found, (extract(epoch from l.moment) * 1000)::float8 as moment, l.id
   from (select) one left join (select * from page order by moment desc, id desc limit 1) l on true`;
