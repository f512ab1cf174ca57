import type { EventType } from '../events.ts';

/** An entry of a live list. @internal */
export interface Item {
  id: string;
  revision?: number;
  [field: string]: unknown;
}

/** What keeps a list true, and what may be changed in it. @internal */
export interface LiveRow {
  /** The events that tell of its entries: `data` is the entry, without what only `include` shows. */
  events: readonly EventType[];
  /** The query that reads one entry by its id. */
  get: string;
  /** What that query takes as `include`, of what the list takes. */
  getIncludes: readonly string[];
  /** Fields that a list shows only when `include` names them. */
  included: Readonly<Record<string, readonly string[]>>;
  /** Fields that never change, and of which events know less. */
  constant: readonly string[];
  /** Whether an entry passes a filter. The service alone knows it of filters that are not here. */
  filters: Readonly<Record<string, (wanted: unknown, item: Item) => boolean>>;
  /** The order of the list where the caller names none. */
  sort: string;
  /** What a change makes of an entry, by the path of its mutation. */
  changes: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => Partial<Item>>>;
  /** The field that says whether a change is already made. */
  decides: string;
}

const equal = (field: string) => (wanted: unknown, item: Item) => item[field] === wanted;

/** Every list that can be live, by the path of its query. @internal */
export const rows: Readonly<Record<string, LiveRow>> = {
  'orders.list': {
    events: ['order.created', 'order.updated'],
    get: 'orders.get',
    getIncludes: ['books', 'snapshot', 'tax', 'revision'],
    included: {
      details: [
        ...['external_id', 'channel', 'is_take_away', 'identifier'],
        ...['payment_method_id', 'cancel_reason'],
      ],
      items: ['items'],
    },
    constant: ['items'],
    filters: {
      status: (wanted, { status }) => [wanted].flat().includes(status),
      number: equal('number'),
      external_id: equal('external_id'),
      channel: equal('channel'),
    },
    sort: 'created_at',
    changes: {
      'orders.updateStatus': ({ status }) => ({ status }),
      'orders.cancel': ({ reason }) => ({
        status: 'canceled',
        ...(reason !== undefined && { cancel_reason: reason }),
      }),
    },
    decides: 'status',
  },
};
