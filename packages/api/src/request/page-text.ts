import { type Statement, statement } from '@comanda/db';
import type { Page } from '../wire.ts';
import { type Answer, answerPage } from './answer.ts';
import type { Lookup } from './context.ts';

/** A page of a list as the text of a JSON array, and the exact total. */
export interface PageText {
  data: string;
  total: number;
}

/** What a list is made of; `r` is the row of the table, `$1` the location, further filters begin at `$4`. */
export interface PageParts {
  name: string;
  table: string;
  order: string;
  /** A row as JSON. */
  entry: string;
  /** Further conditions. */
  where?: string;
  /** What an entry shows beside its row. */
  joins?: string;
}

/** The statement that reads a page: $1 location, $2 limit, $3 offset. The page is found first, and only it becomes JSON. */
export function pageStatement(parts: PageParts): Statement<PageText> {
  const { name, table, order, entry, where = '', joins = '' } = parts;
  const from = `from ${table} r where r.location_id = $1::uuid ${where}`;
  return statement(
    name,
    `with page as materialized (select * ${from} order by ${order} limit $2 offset $3)
     select (select count(*) ${from})::int as total,
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
  const [found] = await ctx.reads.run(page, [ctx.caller.locationId, paging.limit, paging.offset, ...values]);
  return answerPage(found, paging);
}
