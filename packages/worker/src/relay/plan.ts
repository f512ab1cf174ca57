import type { Change, RowKey } from './captured.ts';
import { type FoldedChange, type FoldedTransaction, foldChanges } from './fold.ts';
import { type Draft, rules, touchesCatalog } from './rules.ts';

/** A draft with what its id and its envelope need. */
export interface PlannedEvent extends Draft {
  seed: string;
  resource: string;
  locationId: string;
  requestId: string | null;
  traceparent: string | null;
  capturedAt: Date;
}

/** The smallest part that can be published or set aside by itself: what a transaction did to one resource. */
export interface Unit {
  resource: string;
  resourceId: string;
  locationId: string;
  seed: string;
  /** The rows it was captured in. Those of a whole transaction hold other resources, too. */
  rows: RowKey[];
  events: PlannedEvent[];
  /** Whether the catalog's event is still to be published for it, when all parts of its transaction are. */
  touchesCatalog: boolean;
  /** Why it cannot be published, when that is known beforehand. */
  problem?: string;
}

/** Decides which events the changes make, in the order in which they are numbered. Pure. */
export function planEvents(changes: readonly Change[]): Unit[] {
  return foldChanges(changes).flatMap((transaction) => {
    const units = transaction.changes.map((change) => planUnit(change, transaction));
    const touching = transaction.changes.filter(touchesCatalog).at(-1);
    if (transaction.part > 0 || touching === undefined || !touching.changes[0]?.located) return units;
    return [...units, catalogUnit(touching)];
  });
}

function planUnit(change: FoldedChange, transaction: FoldedTransaction): Unit {
  const { resource, resourceId, locationId, seed, changes } = change;
  const unit: Unit = {
    resource,
    resourceId,
    locationId,
    seed,
    rows: [...new Set(changes.map(({ row }) => row))],
    events: [],
    touchesCatalog: false,
  };
  if (!changes[0]?.located) return unit;
  // The note that a cut transaction left behind.
  if (resource === 'catalog' && changes.some(({ operation }) => operation === 'update'))
    return { ...catalogUnit(change), rows: unit.rows };
  const rule = rules[resource];
  if (rule === undefined) return { ...unit, problem: `unknown resource ${resource}` };
  const events = rule.events(change, transaction).map((draft) => planned(draft, change));
  return { ...unit, events, touchesCatalog: transaction.part > 0 && touchesCatalog(change) };
}

/** The event that the transaction's changes to the catalog make together. */
function catalogUnit(change: FoldedChange): Unit {
  const { locationId, seed } = change;
  const draft: Draft = { type: 'catalog.updated', resourceId: locationId, data: 'catalog version' };
  const events = [{ ...planned(draft, change), resource: 'catalog' }];
  return {
    resource: 'catalog',
    resourceId: locationId,
    locationId,
    seed,
    rows: [],
    events,
    touchesCatalog: false,
  };
}

function planned(
  draft: Draft,
  { seed, resource, locationId, requestId, traceparent, capturedAt }: FoldedChange,
): PlannedEvent {
  return { ...draft, seed, resource, locationId, requestId, traceparent, capturedAt };
}
