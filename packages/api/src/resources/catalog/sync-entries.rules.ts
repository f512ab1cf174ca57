import type { SyncedCategory, SyncedItem, SyncedProduct, SyncedSubselection } from './sync.schema.ts';

// The schema ensures that an entry is marked for deletion or has all that it needs: each entry is one or the
// other.

/** An entry with what it needs to be there. */
type Full<Entry, Needed extends keyof Entry> = Entry & {
  [Name in Needed]-?: Exclude<Entry[Name], undefined>;
};
export type GivenCategory = Full<SyncedCategory, 'name'>;
export type GivenProduct = Full<SyncedProduct, 'name' | 'price'>;
export type GivenSubselection = Full<
  SyncedSubselection,
  'name' | 'min_selection' | 'max_selection' | 'items'
>;
export type GivenItem = Full<SyncedItem, 'name' | 'price'>;

interface Entry {
  external_id: string;
  delete?: boolean | undefined;
}

/** Whether an entry is marked for deletion. */
export const isDeletion = (entry: Entry): boolean => entry.delete === true;

/** Those of a list to keep or make, in the order sent. */
export const given = {
  categories: (entries: readonly SyncedCategory[]) =>
    entries.filter((entry): entry is GivenCategory => !isDeletion(entry) && entry.name !== undefined),
  subselections: (entries: readonly SyncedSubselection[] = []) =>
    entries.filter(
      (entry): entry is GivenSubselection =>
        !isDeletion(entry) &&
        entry.name !== undefined &&
        entry.min_selection !== undefined &&
        entry.max_selection !== undefined &&
        entry.items !== undefined,
    ),
  items: (entries: readonly SyncedItem[]) =>
    entries.filter(
      (entry): entry is GivenItem =>
        !isDeletion(entry) && entry.name !== undefined && entry.price !== undefined,
    ),
};

/** Whether a product is kept or made. */
export const isGivenProduct = (entry: SyncedProduct): entry is GivenProduct =>
  !isDeletion(entry) && entry.name !== undefined && entry.price !== undefined;

/** The external ids of those marked for deletion. */
export const deletionsOf = (entries: readonly Entry[] = []): string[] =>
  entries.filter(isDeletion).map(({ external_id }) => external_id);

/**
 * Positions for what is named, rising in the order sent. Entries that are in that order already keep their
 * position; new ones at the end come after everything that stays.
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
