import type { Item, LiveRow } from './rows.ts';

/** An entry as it was last read. @internal */
export interface KnownItem {
  id: string;
  item: Item;
  /** The place in the order in which entries came. */
  came: number;
}

/** The known state of the entries of a list. @internal */
export interface Known {
  /** Begins a reading, of the list or of an entry: later ones have greater numbers. */
  begin(ofList?: boolean): number;
  /**
   * An entry as a reading found it: `undefined` where it is not of the list. A reading that others have overtaken
   * changes nothing.
   */
  put(id: string, item: Item | undefined, state: number, began: number): void;
  /** The result of a reading of the whole list. */
  replace(items: readonly Item[], began: number): void;
  /** A reading of the list that failed. */
  fail(): void;
  get(id: string): Item | undefined;
  all(): KnownItem[];
  clear(): void;
}

interface Entry {
  item: Item | undefined;
  state: number;
  began: number;
  came: number;
}

/**
 * Merges readings that overlap. The greater revision is the newer state (docs/contract.md, Preconditions); of two
 * readings of one state, which may differ in what no revision covers, the one that began later. An entry that left the
 * list is remembered while the list is being read: the reading may be older, and have it.
 *
 * @internal
 */
export function createKnown({ idOf, stateOf }: Pick<LiveRow, 'idOf' | 'stateOf'>): Known {
  const entries = new Map<string, Entry>();
  let clock = 0;
  let arrivals = 0;
  let lastRead = 0;
  let isReading = false;

  function put(id: string, item: Item | undefined, state: number, began: number): void {
    const known = entries.get(id);
    if (known === undefined && began < lastRead) return;
    if (known && (state < known.state || (state === known.state && began < known.began))) return;
    if (item === undefined && !isReading) entries.delete(id);
    else {
      const came = known?.item && item ? known.came : ++arrivals;
      entries.set(id, { item, state, began, came });
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
      for (const item of items.toReversed()) put(idOf(item), item, stateOf(item), began);
      lastRead = began;
      const listed = new Set(items.map(idOf));
      for (const [id, entry] of entries)
        if (entry.item === undefined || (entry.began < began && !listed.has(id))) entries.delete(id);
    },
    fail() {
      isReading = false;
    },
    get: (id) => entries.get(id)?.item,
    all: () => [...entries].flatMap(([id, { item, came }]) => (item ? [{ id, item, came }] : [])),
    clear() {
      entries.clear();
      isReading = false;
    },
  };
}
