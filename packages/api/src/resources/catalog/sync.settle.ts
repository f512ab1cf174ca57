import type { CatalogWrites, Written } from './sync.rows.ts';

/** Fields as a caller gives them: what is undefined is left out. */
export type Given<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

/**
 * The row as it shall be: what is there, or a `fresh` one, with what is given. Notes it among what is written,
 * unless it is equal to what is there.
 */
export function settle<Row extends object>(
  written: Written<Row>,
  before: Row | undefined,
  given: Given<Row>,
  fresh: () => Row,
): Row {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const row: Row = { ...(before ?? fresh()), ...Object.fromEntries(present) };
  if (before === undefined) written.created.push(row);
  else if ((Object.keys(row) as (keyof Row)[]).some((name) => row[name] !== before[name]))
    written.updated.push(row);
  return row;
}

/**
 * Positions for what is named, rising in the order sent. What stands in that order already stays where it is; what
 * is new at the end comes after everything that stays.
 */
export function positions(
  named: readonly { external_id: string }[],
  siblings: readonly { external_id: string | null; position: number }[],
  replaces: boolean,
): number[] {
  const names = new Set(named.map(({ external_id }) => external_id));
  const places = new Map(siblings.map(({ external_id, position }) => [external_id, position]));
  const highest = siblings
    .filter(({ external_id }) => !replaces || external_id === null || names.has(external_id))
    .reduce((most, { position }) => Math.max(most, position), -1);
  const lastKnown = named.findLastIndex(({ external_id }) => places.has(external_id));
  let previous = -1;
  return named.map(({ external_id }, index) => {
    const place = places.get(external_id);
    if (place !== undefined && place > previous) previous = place;
    else previous = index > lastKnown ? Math.max(previous, highest) + 1 : previous + 1;
    return previous;
  });
}

/** A plan that writes nothing. */
export function emptyWrites(): CatalogWrites {
  return {
    removed: { categories: [], products: [], subselections: [], items: [] },
    releasedSkus: [],
    categories: { created: [], updated: [] },
    products: { created: [], updated: [] },
    stock: { created: [], updated: [] },
    addedLinks: [],
    removedLinks: [],
    subselections: { created: [], updated: [] },
    items: { created: [], updated: [] },
  };
}

/** Rows by something that only one of them has. */
export function by<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row> {
  return new Map(rows.map((row) => [key(row), row]));
}

/** Rows by something that several may share. */
export function group<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const known = groups.get(key(row));
    if (known === undefined) groups.set(key(row), [row]);
    else known.push(row);
  }
  return groups;
}
