import type { Change } from './changes.ts';
import { type FoldedChange, type FoldedTransaction, foldChanges } from './fold.ts';
import { catalogEvent, type Draft, rules } from './rules.ts';

/** A draft with what its envelope needs. */
export interface PlannedEvent extends Draft {
  locationId: string;
  requestId: string | null;
  capturedAt: Date;
}

/** The smallest part that can be published or set aside by itself: what a transaction did to one resource. */
export interface Unit {
  resource: string;
  resourceId: string;
  locationId: string;
  changeIds: string[];
  events: PlannedEvent[];
  /** Why it cannot be published, when that is known beforehand. */
  problem?: string;
}

/** Decides which events the changes make, in the order in which they are numbered. Pure. */
export function planEvents(changes: readonly Change[]): Unit[] {
  return foldChanges(changes).flatMap((transaction) => {
    const units = transaction.changes.map((change) => planUnit(change, transaction));
    const last = units.at(-1);
    const change = transaction.changes.at(-1);
    const catalog = catalogEvent(transaction);
    if (last !== undefined && change?.changes[0]?.located && catalog !== undefined)
      last.events.push(planned(catalog, change));
    return units;
  });
}

function planUnit(change: FoldedChange, transaction: FoldedTransaction): Unit {
  const { resource, resourceId, locationId, changes } = change;
  const unit = { resource, resourceId, locationId, changeIds: changes.map(({ id }) => id) };
  if (!changes[0]?.located) return { ...unit, events: [] };
  const rule = rules[resource];
  if (rule === undefined) return { ...unit, events: [], problem: `unknown resource ${resource}` };
  return { ...unit, events: rule.events(change, transaction).map((draft) => planned(draft, change)) };
}

function planned(draft: Draft, { locationId, requestId, capturedAt }: FoldedChange): PlannedEvent {
  return { ...draft, locationId, requestId, capturedAt };
}
