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
