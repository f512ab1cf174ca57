import type { Item } from './rows.ts';

/** An entry as it was last read. @internal */
export interface KnownItem {
  item: Item;
  /** The place in the order in which entries came. */
  came: number;
}

/** What is known of the entries of a list. @internal */
export interface Known {
  /** Begins a reading, of the list or of an entry: later ones have greater numbers. */
  begin(ofList?: boolean): number;
  /** What a reading said of an entry: `undefined` where it is not of the list. A reading that others have overtaken changes nothing. */
  put(id: string, item: Item | undefined, revision: number, began: number): void;
  /** What a reading of the whole list said. */
  replace(items: readonly Item[], began: number): void;
  /** A reading of the list that failed. */
  fail(): void;
  get(id: string): Item | undefined;
  all(): KnownItem[];
  clear(): void;
}

interface Entry {
  item: Item | undefined;
  revision: number;
  began: number;
  came: number;
}

/**
 * Merges readings that overlap. The greater revision is the newer state (docs/contract.md, Preconditions); of two readings of one
 * revision, which may differ in what no revision covers, the one that began later. What left the list is remembered while the list is
 * being read: the reading may be older, and have it.
 *
 * @internal
 */
export function createKnown(): Known {
  const entries = new Map<string, Entry>();
  let clock = 0;
  let arrivals = 0;
  let lastRead = 0;
  let isReading = false;

  function put(id: string, item: Item | undefined, revision: number, began: number): void {
    const known = entries.get(id);
    if (known === undefined && began < lastRead) return;
    if (known && (revision < known.revision || (revision === known.revision && began < known.began))) return;
    if (item === undefined && !isReading) entries.delete(id);
    else {
      const came = known?.item && item ? known.came : ++arrivals;
      entries.set(id, { item, revision, began, came });
    }
  }

  return {
    begin(ofList = false) {
      if (ofList) isReading = true;
      return ++clock;
    },
    put,
    replace(items, began) {
      isReading = false;
      // The first of the list is the one that came last.
      for (const item of items.toReversed()) put(item.id, item, item.revision ?? 0, began);
      lastRead = began;
      const listed = new Set(items.map(({ id }) => id));
      for (const [id, entry] of entries)
        if (entry.item === undefined || (entry.began < began && !listed.has(id))) entries.delete(id);
    },
    fail() {
      isReading = false;
    },
    get: (id) => entries.get(id)?.item,
    all: () => [...entries.values()].flatMap(({ item, came }) => (item ? [{ item, came }] : [])),
    clear() {
      entries.clear();
      isReading = false;
    },
  };
}
