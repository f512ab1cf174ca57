import { type EventType, eventTypes } from '@comanda/api/services';
import type { JsonObject } from './captured.ts';
import type { FoldedChange, FoldedTransaction } from './fold.ts';

/** A resource with an event for when it is made, changed and deleted: `product`. Its table is called so, with an s. */
export type PlainKind = Plain<EventType>;

type Plain<Type extends string> = Type extends `${infer Kind}.deleted` ? Kind : never;

/** Resources whose JSON an event shows as of its publishing. */
export type ResourceKind =
  | 'order'
  | 'payment'
  | 'stock'
  | 'turn'
  | 'settlement'
  | 'sync_job'
  | 'location'
  | PlainKind;

/** Every plain resource. */
export const plainKinds = eventTypes.flatMap((type) => {
  const [, kind] = /^(\w+)\.deleted$/.exec(type) ?? [];
  return kind === undefined ? [] : (kind as PlainKind);
});

/** An event to publish; its `data` is known already or read then. */
export interface Draft {
  type: EventType;
  resourceId: string;
  /** A fixed value, the resource read at publication, or the next version of the catalog. */
  data: { value: JsonObject } | { show: ResourceKind } | 'catalog version';
  /** The id it was promised under; made at publication otherwise. */
  eventId?: string;
  /** The only endpoint it goes to. */
  endpointId?: string;
}

/** The events that the relay makes of changes to one kind of resource. */
export interface ResourceRule {
  events(change: FoldedChange, transaction: FoldedTransaction): Draft[];
}

/**
 * Every captured resource and its events. A pure table: contract, section 9, and Events there. A plain one has its row
 * by its events.
 */
export const rules: Readonly<Record<string, ResourceRule>> = {
  order: { events: orderEvents },
  payment: { events: paymentEvents },
  ...Object.fromEntries(plainKinds.map((kind) => [kind, plain(kind)])),
  stock: { events: stockEvents },
  category: { events: () => [] },
  subselection: { events: () => [] },
  subselection_item: { events: () => [] },
  catalog: { events: () => [] },
  turn: { events: turnEvents },
  settlement: {
    events: (change) => (passedBy(change) ? [] : [shown('settlement.created', change, 'settlement')]),
  },
  sync_job: { events: syncJobEvents },
  location: { events: (change) => [shown('location.updated', change, 'location')] },
  webhook_endpoint: { events: testEvents },
};

/**
 * Whether the catalog has its event for the change: not for stock, which shows there, too, except for the picture of
 * a category.
 */
export function touchesCatalog(change: FoldedChange): boolean {
  if (change.resource === 'stock' || passedBy(change)) return false;
  const picture = change.resource === 'category' ? 'image_url' : undefined;
  return change.changes.some(
    ({ inCatalog, changed }) => inCatalog || changed.some((column) => column === picture),
  );
}

function orderEvents(change: FoldedChange): Draft[] {
  if (passedBy(change)) return [];
  const drafts: Draft[] = [];
  if (!change.existedBefore) drafts.push(shown('order.created', change, 'order'));
  const status = moved(change);
  if (status !== undefined) drafts.push(statusChanged(change));
  if (change.existedBefore && change.updated) drafts.push(shown('order.updated', change, 'order'));
  if (status === 'canceled') drafts.push(shown('order.cancelled', change, 'order'));
  if (status === 'closed') drafts.push(shown('order.completed', change, 'order'));
  return drafts;
}

function statusChanged({ resourceId, before, after }: FoldedChange): Draft {
  const externalId = after?.external_id ?? undefined;
  return {
    type: 'order.status_changed',
    resourceId,
    data: {
      value: {
        id: resourceId,
        previous_status: before?.status,
        status: after?.status,
        ...(externalId !== undefined && { external_id: externalId }),
      },
    },
  };
}

function paymentEvents(change: FoldedChange): Draft[] {
  if (passedBy(change)) return [];
  const drafts: Draft[] = [];
  if (!change.existedBefore) drafts.push(shown('payment.created', change, 'payment'));
  else if (change.updated) drafts.push(shown('payment.updated', change, 'payment'));
  const status = moved(change);
  if (status === 'completed') drafts.push(shown('payment.completed', change, 'payment'));
  if (status === 'rejected') drafts.push(shown('payment.rejected', change, 'payment'));
  return drafts;
}

function plain(kind: PlainKind): ResourceRule {
  const deleted = ({ resourceId, lastState }: FoldedChange): Draft => {
    const externalId = lastState?.external_id ?? undefined;
    const value = { id: resourceId, ...(externalId !== undefined && { external_id: externalId }) };
    return { type: `${kind}.deleted`, resourceId, data: { value } };
  };
  return {
    events: (change) => {
      if (passedBy(change)) return [];
      if (!change.existsAfter) return [deleted(change)];
      return [shown(change.existedBefore ? `${kind}.updated` : `${kind}.created`, change, kind)];
    },
  };
}

// A record deleted with its product is published by product.deleted alone.
function stockEvents(change: FoldedChange, transaction: FoldedTransaction): Draft[] {
  const product = transaction.changes.find(
    ({ resource, resourceId }) => resource === 'product' && resourceId === change.resourceId,
  );
  if (passedBy(change) || product?.existsAfter === false) return [];
  return [shown('stock.updated', change, 'stock')];
}

function turnEvents(change: FoldedChange): Draft[] {
  if (passedBy(change)) return [];
  const drafts: Draft[] = [];
  if (!change.existedBefore) drafts.push(shown('turn.open', change, 'turn'));
  else if (change.updated) drafts.push(shown('turn.updated', change, 'turn'));
  if (moved(change) === 'closed') drafts.push(shown('turn.closed', change, 'turn'));
  return drafts;
}

function syncJobEvents(change: FoldedChange): Draft[] {
  const status = moved(change);
  if (status === 'completed') return [shown('sync.completed', change, 'sync_job')];
  if (status === 'failed') return [shown('sync.failed', change, 'sync_job')];
  return [];
}

// Each test is asked for by itself and was promised its own event id.
function testEvents({ resourceId, changes }: FoldedChange): Draft[] {
  const value = { endpoint_id: resourceId, message: 'This is a test event from Comanda.' };
  return changes.flatMap(({ operation, after }): Draft[] => {
    const eventId = after?.event_id;
    if (operation !== 'test' || typeof eventId !== 'string') return [];
    return [{ type: 'webhook.test', resourceId, data: { value }, eventId, endpointId: resourceId }];
  });
}

function shown(type: EventType, { resourceId }: FoldedChange, kind: ResourceKind): Draft {
  return { type, resourceId, data: { show: kind } };
}

/** The status it ended in, when the transaction moved it there from another. */
function moved({ before, after }: FoldedChange): unknown {
  return before?.status !== after?.status ? after?.status : undefined;
}

/** Made and removed in one transaction: no reader ever saw it. */
function passedBy({ existedBefore, existsAfter }: FoldedChange): boolean {
  return !existedBefore && !existsAfter;
}
