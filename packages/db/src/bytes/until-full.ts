/** Items that a statement gathers one by one. */
export interface Gathering {
  /** SQL: how many there are. */
  count: string;
  /** SQL: the columns of the item at an index, counted from 1. */
  key(place: string): string;
  /** SQL, in parentheses: the text that is made of it, which is called `k`. */
  doc: string;
  /** It ends with the text that reaches so many. */
  bytes: number;
}

/**
 * SQL: the table `docs (place, doc)` for a `with recursive`, from place 1 on. Each text is made after those before it were
 * measured, so none is made that does not fit: a page of the largest orders would be 160 MB.
 */
export function untilFull({ count, key, doc, bytes }: Gathering): string {
  const held = 'd.before + coalesce(octet_length(d.doc), 0)';
  // Kept from being merged (offset 0): what is asked for one by one stays a look-up.
  return `docs as (
       select 0 as place, null::text collate "C" as doc, 0::bigint as before
       union all
       select d.place + 1, ${doc} collate "C", ${held}
       from docs d cross join lateral (select ${key('d.place + 1')} offset 0) k
       where d.place < ${count} and ${held} < ${bytes}
     )`;
}
