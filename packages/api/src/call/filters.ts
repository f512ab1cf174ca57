/** The SQL of each filter of a list, given its parameter. */
export type FilterSql<Filters> = { readonly [Name in keyof Filters]-?: (value: string) => string };

/** The filters that a call gives, always in the same order. */
export interface Given<Name> {
  readonly names: readonly Name[];
  readonly values: readonly unknown[];
  /** The conditions, each behind an `and`; their parameters begin at `$first`. */
  where(first: number): string;
}

/** Only filters that are given are in the SQL, so that it is planned for them. Others in `filters` are ignored. */
export function givenFilters<Filters extends object>(
  sql: FilterSql<Filters>,
  filters: Filters,
): Given<keyof Filters> {
  const names = (Object.keys(sql) as (keyof Filters)[]).filter((name) => filters[name] !== undefined);
  return {
    names,
    values: names.map((name) => filters[name]),
    where: (first) => names.map((name, index) => ` and ${sql[name](`$${first + index}`)}`).join(''),
  };
}

/**
 * SQL: the text of a search as `fold_text` folds the stored texts; in a sub-select it is folded once, not for every row. No stored text has
 * as many characters as it is cut to.
 */
export const foldedSearch = (value: string): string =>
  `(select fold_text(left(${value}::text, 8000)) collate "C")`;
