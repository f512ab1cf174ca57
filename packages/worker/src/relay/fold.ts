import type { Change, JsonObject } from './captured.ts';

/** The changes of one transaction to one resource, folded into one. */
export interface FoldedChange {
  resource: string;
  resourceId: string;
  locationId: string;
  seed: string;
  requestId: string | null;
  traceparent: string | null;
  capturedAt: Date;
  /** The changes it was made of, in the order of capture; never none. */
  changes: readonly Change[];
  existedBefore: boolean;
  existsAfter: boolean;
  /** Whether it was changed in addition to being made or removed. */
  updated: boolean;
  /** The columns that differ in any of the updates. */
  changed: ReadonlySet<string>;
  /** The recorded columns before the first and after the last update that recorded them. */
  before: JsonObject | null;
  after: JsonObject | null;
  /** The whole resource as it was last, when it was removed. */
  lastState: JsonObject | null;
}

/**
 * The changes of one transaction, or of a part of one that was split, at one location, resource by resource, in the
 * order of the first change of each.
 */
export interface FoldedTransaction {
  /** 0 for a whole transaction. */
  part: number;
  locationId: string;
  changes: FoldedChange[];
}

/**
 * Folds changes, given in the order of capture, by transaction, part, location and resource. A product's links to
 * its categories are part of the product.
 */
export function foldChanges(changes: readonly Change[]): FoldedTransaction[] {
  const transactions = new Map<string, Map<string, Change[]>>();
  for (const change of changes.map(asPartOfItsResource)) {
    const groups = getOrMake(
      transactions,
      `${change.seed} ${change.part} ${change.locationId}`,
      () => new Map(),
    );
    getOrMake(groups, `${change.resource} ${change.resourceId}`, (): Change[] => []).push(change);
  }
  return [...transactions.values()].map((groups) => {
    const folded = [...groups.values()].flatMap(fold);
    const { part = 0, locationId = '' } = folded[0]?.changes[0] ?? {};
    return { part, locationId, changes: folded };
  });
}

function asPartOfItsResource(change: Change): Change {
  if (change.resource !== 'product_categories') return change;
  return { ...change, resource: 'product', operation: 'update', changed: ['category_ids'] };
}

function fold(changes: readonly Change[]): FoldedChange[] {
  const [first] = changes;
  if (first === undefined) return [];
  const lives = changes.filter(({ operation }) => operation === 'insert' || operation === 'delete');
  const recorded = changes.filter(({ operation }) => operation === 'update');
  return [
    {
      resource: first.resource,
      resourceId: first.resourceId,
      locationId: first.locationId,
      seed: first.seed,
      requestId: first.requestId,
      traceparent: first.traceparent,
      capturedAt: first.capturedAt,
      changes,
      existedBefore: lives[0]?.operation !== 'insert',
      existsAfter: lives.at(-1)?.operation !== 'delete',
      updated: recorded.length > 0 || lives.length > 1,
      changed: new Set(recorded.flatMap(({ changed }) => changed)),
      before: recorded.find(({ before }) => before !== null)?.before ?? null,
      after: recorded.findLast(({ after }) => after !== null)?.after ?? null,
      lastState: changes.findLast(({ operation }) => operation === 'delete')?.before ?? null,
    },
  ];
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
