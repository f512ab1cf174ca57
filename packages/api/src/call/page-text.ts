import { pageBytes, type Statement, statement, untilFull } from '@comanda/db';
import type { Page } from '../wire.ts';
import { type Answer, answerPage } from './answer.ts';
import type { Lookup } from './context.ts';

/** A page of a list as the text of a JSON array, and the exact total. */
export interface PageText {
  data: string;
  total: number;
  /** How many entries it has when `pageBytes` ended it before what was asked for. */
  cut?: number | null;
}

/** SQL that makes entries of a table `page`, which precedes it in the same `with recursive`. */
export interface Entries {
  /** Further tables, each behind a comma. */
  tables: string;
  /** The entries as the text of a JSON array. */
  data: string;
  /** How many of the page these are. */
  shown: string;
}

/** Entries of a page that is bounded by the largest that they can be: tests/attack/page-bytes.test.ts. */
export const allEntries = (data: string): Entries => ({
  tables: '',
  data,
  shown: '(select count(*) from page)',
});

/**
 * Entries that can be large, made one by one until they hold `pageBytes`. `order` is of the page, whose ids are `id`; `entry`
 * makes the text of `k.id`.
 */
export function entriesUntilFull({
  order,
  entry,
  id = 'id',
}: Record<'order' | 'entry', string> & { id?: string }): Entries {
  const docs = untilFull({
    count: '(select most from ids)',
    key: (place) => `(select list from ids)[${place}] as id`,
    doc: `(${entry})`,
    bytes: pageBytes,
  });
  return {
    tables: `, ids as materialized (
       select array_agg(${id} order by ${order}) as list, count(*)::int as most from page${id === 'id' ? '' : ' r'}
     ), ${docs}`,
    data: `(select coalesce('[' || string_agg(doc, ',' order by place) || ']', '[]') from docs)`,
    shown: '(select max(place) from docs)',
  };
}

/** SQL: how many entries there are when their bytes ended the page. */
export const cutOf = ({ shown }: Entries): string => `nullif(${shown}, (select count(*) from page))::int`;

/** The parts of a list; `r` is the row of the table, `$1` the location, further filters begin at `$4`. */
export interface PageParts {
  name: string;
  table: string;
  order: string;
  /** A row as JSON. */
  entry: string;
  /** Further conditions. */
  where?: string;
  /** The fields that an entry shows in addition to its row. */
  joins?: string;
  /** How many there are in all; else they are counted. */
  total?: string;
  /** Whether a page of the largest entries would be larger than `pageBytes`. */
  large?: true;
}

/** The statement that reads a page: $1 location, $2 limit, $3 offset. The page is found first, and only it becomes JSON. */
export function pageStatement(parts: PageParts): Statement<PageText> {
  const { name, table, order, entry, where = '', joins = '', large } = parts;
  const from = `from ${table} r where r.location_id = $1::uuid ${where}`;
  const total = parts.total ?? `(select count(*) ${from})`;
  const page = `page as materialized (select * ${from} order by ${order} limit $2 offset $3)`;
  if (large) {
    const row = `select ${entry} from ${table} r ${joins} where r.location_id = $1::uuid and r.id = k.id`;
    const entries = entriesUntilFull({ order, entry: row, id: 'r.id' });
    return statement(
      name,
      `with recursive ${page}${entries.tables}
       select ${total}::int as total, ${entries.data} as data, ${cutOf(entries)} as cut`,
    );
  }
  return statement(
    name,
    `with ${page}
     select ${total}::int as total,
       coalesce('[' || string_agg(${entry}, ',' order by ${order}) || ']', '[]') as data
     from page r ${joins}`,
  );
}

/** Reads the page that the statement gives: $1 location, $2 limit, $3 offset, then `values`. */
export async function readPage<Entry>(
  ctx: Lookup,
  page: Statement<PageText>,
  paging: { limit: number; offset: number },
  values: readonly unknown[] = [],
): Promise<Answer<Page<Entry>>> {
  const [found] = await ctx.app.database.run(page, [
    ctx.caller.locationId,
    paging.limit,
    paging.offset,
    ...values,
  ]);
  return answerPage(found, paging);
}
