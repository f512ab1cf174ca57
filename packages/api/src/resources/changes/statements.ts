import { type Statement, statement } from '@comanda/db';
import { cutOf, type Entries } from '../../call/page-text.ts';

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
  /** The deletions, as a JSON array; of lists that report them. */
  deleted?: string;
  found: number;
  /** How many entries are shown when more follow than `found` says: their bytes ended the page, or deletions are among them. */
  cut: number | null;
  moment: number | null;
  id: string | null;
}

/** Of one list: the statement that reads a page, the one that counts what there is to read, and the values of filters. */
export interface Changes {
  page: Statement<ChangesText>;
  count: Statement<{ total: number }>;
  filters: readonly unknown[];
  /** Whether it reports deletions. */
  listsDeleted?: boolean;
  /** Whether the value behind those of the filters is the moment that the walk began at. */
  readsFrom?: boolean;
}

/** Rows after the position of $2 and $3, up to $4; $1 is the location. */
export const afterPosition = (moment: string, id: string) =>
  `(${moment}, ${id}) > ($2::timestamptz, $3::uuid) and ${moment} <= $4::timestamptz`;

/** The id behind which a part of moments reads on: after the position where the moment is that of the position. */
export const afterId = (moment: string) =>
  `case when ${moment} = $2::timestamptz then $3::uuid else '00000000-0000-0000-0000-000000000000' end`;

/** The parts of a list of changes. Filters are the parameters from $5 on; limit and offset come after them. */
export interface ChangesParts {
  name: string;
  /** How many filters there are. */
  filters: number;
  /** Whether `rows` reads the moment that the walk began at, the parameter behind those of the filters. */
  readsFrom?: boolean;
  /**
   * Selects `id` and `moment` of all there is to read. `most`, where it is given, is an order and a limit for a part;
   * `limit` is that limit alone.
   */
  rows(most: string, limit: string): string;
  /** The columns that a `page` of them shows. */
  entries: Entries;
  /** Lists deletions from this table, too, by its name in `deleted_records`. */
  deleted?: { table: 'products' | 'categories'; resource: 'product' | 'category' };
}

/** Makes the two statements. */
export function changesStatements(parts: ChangesParts): Omit<Changes, 'filters'> {
  const { entries, deleted, readsFrom = false } = parts;
  const values = parts.filters + (readsFrom ? 1 : 0);
  const name = deleted === undefined ? parts.name : `${parts.name}_deleted`;
  const rows = deleted === undefined ? parts.rows : (most: string) => withDeleted(parts, deleted, most);
  const [limit, offset] = [`$${firstFilter + values}::int`, `$${firstFilter + values + 1}::bigint`];
  const most = `limit ${limit} + ${offset}`;
  const found = `select * from (
           ${rows(`order by moment, id ${most}`, most)} order by moment, id limit 200 offset ${offset}
         ) found limit ${limit}`;
  return {
    page: statement<ChangesText>(
      `list_${name}`,
      deleted === undefined
        ? `with recursive page as materialized (
         ${found}
       )${entries.tables}
       select database_epoch() as epoch, ${entries.data} as data, (select count(*) from page)::int as found,
         ${cutOf(entries)} as cut, (extract(epoch from l.moment) * 1000)::float8 as moment, l.id
       from (select) one left join (
         select * from page order by moment, id offset greatest(${entries.shown} - 1, 0) limit 1) l on true`
        : pageWithDeleted(found, entries, limit),
    ),
    count: statement(`count_${name}`, `select count(*)::int as total from (${rows('', '')}) changed`),
    listsDeleted: deleted !== undefined,
    readsFrom,
  };
}

// A resource that is there again is no deletion: it is an entry, with a later moment. Looked up, never joined.
const withDeleted = (
  { rows }: ChangesParts,
  { table, resource }: NonNullable<ChangesParts['deleted']>,
  most: string,
) => `select there.id, there.moment, false as gone from (${rows(most, '')}) there
   union all
   (select d.id, d.deleted_at as moment, true as gone from internal.deleted_records d
   where d.location_id = $1::uuid and d.resource = '${resource}' and ${afterPosition('d.deleted_at', 'd.id')}
     and (select t.id from ${table} t where t.location_id = $1::uuid and t.id = d.id) is null ${most})`;

// Entries and deletions share the order of moments, and so the place of the cursor. Where bytes end the page, deletions end
// with the entry before. `cut` of a full page is how many entries it has: less than their limit stays the mark of the end.
const pageWithDeleted = (
  found: string,
  entries: Entries,
  limit: string,
) => `with recursive found as materialized (
         ${found}
       ), page as materialized (select id, moment from found where not gone)${entries.tables}, merged as materialized (
         select f.* from found f where coalesce((f.moment, f.id) <= (
           select p.moment, p.id from page p where ${cutOf(entries)} is not null
           order by p.moment, p.id offset greatest(${entries.shown} - 1, 0) limit 1), true)
       )
       select database_epoch() as epoch, ${entries.data} as data, (
           select coalesce('[' || string_agg('{"id":"' || t.id || '","deleted_at":"'
             || wire_time(t.moment, (select l.timezone from locations l where l.id = $1::uuid)) || '"}',
             ',' order by t.moment, t.id) || ']', '[]') from merged t where t.gone) as deleted,
         (select count(*) from found)::int as found,
         coalesce(${cutOf(entries)}, case when (select count(*) from found) = ${limit} then (select count(*) from page) end)::int as cut,
         (extract(epoch from l.moment) * 1000)::float8 as moment, l.id
       from (select) one left join (select * from merged order by moment desc, id desc limit 1) l on true`;

/** The parameter of the first filter. */
export const firstFilter = 5;
