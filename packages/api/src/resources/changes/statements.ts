import { type Statement, statement } from '@comanda/db';
import { cutOf, type Entries } from '../../request/page-text.ts';

/** The time of day, from when on something may still come, both as Unix time in milliseconds, and the epoch. */
export const readHorizon = statement<{ asked: number; horizon: number; epoch: string }>(
  'read_change_horizon',
  `select database_epoch() as epoch, (extract(epoch from asked) * 1000)::float8 as asked, (extract(epoch from horizon) * 1000)::float8 as horizon
   from change_horizon()`,
);

/** A page of what has changed: its entries as the text of a JSON array, and the place of the last that is shown. */
export interface ChangesText {
  /** The database's. */
  epoch: string;
  data: string;
  found: number;
  /** How many are shown when their bytes ended the page. */
  cut: number | null;
  moment: number | null;
  id: string | null;
}

/** Of one list: the statement that reads a page, the one that counts what there is to read, and the values of filters. */
export interface Changes {
  page: Statement<ChangesText>;
  count: Statement<{ total: number }>;
  filters: readonly unknown[];
}

/** Rows that stand after the place of $2 and $3, up to $4; $1 is the location. */
export const afterPosition = (moment: string, id: string) =>
  `(${moment}, ${id}) > ($2::timestamptz, $3::uuid) and ${moment} <= $4::timestamptz`;

/** What a list of changes is made of. Filters are the parameters from $5 on; limit and offset come after them. */
export interface ChangesParts {
  name: string;
  /** How many filters there are. */
  filters: number;
  /** Selects `id` and `moment` of all there is to read. `most`, where it is given, is an order and a limit for a part. */
  rows(most: string): string;
  /** What a `page` of them shows. */
  entries: Entries;
}

/** Makes the two statements. */
export function changesStatements(parts: ChangesParts): Omit<Changes, 'filters'> {
  const { name, filters, rows, entries } = parts;
  const [limit, offset] = [`$${firstFilter + filters}::int`, `$${firstFilter + filters + 1}::bigint`];
  return {
    page: statement<ChangesText>(
      `list_${name}`,
      `with recursive page as materialized (
         select * from (
           ${rows(`order by moment, id limit ${limit} + ${offset}`)} order by moment, id limit 200 offset ${offset}
         ) found limit ${limit}
       )${entries.tables}
       select database_epoch() as epoch, ${entries.data} as data, (select count(*) from page)::int as found,
         ${cutOf(entries)} as cut, (extract(epoch from l.moment) * 1000)::float8 as moment, l.id
       from (select) one left join (
         select * from page order by moment, id offset greatest(${entries.shown} - 1, 0) limit 1) l on true`,
    ),
    count: statement(`count_${name}`, `select count(*)::int as total from (${rows('')}) changed`),
  };
}

/** The parameter of the first filter. */
export const firstFilter = 5;
