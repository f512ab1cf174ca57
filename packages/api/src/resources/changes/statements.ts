import { type Statement, statement } from '@comanda/db';

/** The time of day, from when on something may still come, both as Unix time in milliseconds, and the epoch. */
export const readHorizon = statement<{ asked: number; horizon: number; epoch: string }>(
  'read_change_horizon',
  `select database_epoch() as epoch, (extract(epoch from asked) * 1000)::float8 as asked, (extract(epoch from horizon) * 1000)::float8 as horizon
   from change_horizon()`,
);

/** A page of what has changed: its entries as the text of a JSON array, and the place of the last of them. */
export interface ChangesText {
  /** The database's. */
  epoch: string;
  data: string;
  found: number;
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
  /** An aggregate of what a `page` of them shows, as text, from there on. */
  entries: string;
}

/** Makes the two statements. */
export function changesStatements(parts: ChangesParts): Omit<Changes, 'filters'> {
  const { name, filters, rows, entries } = parts;
  const [limit, offset] = [`$${firstFilter + filters}::int`, `$${firstFilter + filters + 1}::bigint`];
  return {
    page: statement<ChangesText>(
      `list_${name}`,
      `with page as materialized (
         select * from (
           ${rows(`order by moment, id limit ${limit} + ${offset}`)} order by moment, id limit 200 offset ${offset}
         ) found limit ${limit}
       )
       select database_epoch() as epoch, (select ${entries}) as data, (select count(*) from page)::int as found,
         (extract(epoch from l.moment) * 1000)::float8 as moment, l.id
       from (select) one left join (select * from page order by moment desc, id desc limit 1) l on true`,
    ),
    count: statement(`count_${name}`, `select count(*)::int as total from (${rows('')}) changed`),
  };
}

/** The parameter of the first filter. */
export const firstFilter = 5;
