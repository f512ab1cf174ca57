import type { EventType } from '../events.ts';

/** An entry of a live list. @internal */
export type Item = Readonly<Record<string, unknown>>;

/** The parts that keep a list true, and the changes that may be made in it. @internal */
export interface LiveRow {
  /** The events about its entries. */
  events: readonly EventType[];
  /** The name of an entry, also of what events say of it. */
  idOf(item: Item): string;
  /** Counts the states of an entry: the greater one is the newer. */
  stateOf(item: Item): number;
  /**
   * Reads each entry that events are about. Without it events carry entries as the list shows them, and the list is
   * read as changes.
   */
  reads?: EntryReads;
  /** For events that carry entries: the one that removes an entry. */
  gone?: EventType;
  /** Whether an entry passes a filter. The service alone knows it of filters that are not here. */
  filters: Readonly<Record<string, (wanted: unknown, item: Item) => boolean>>;
  /** The field that the list is sorted by, which way, and how many entries are kept, where the caller says nothing. */
  shown: { sort: string; order: 'asc' | 'desc'; most: number };
  /** The effect of a change on an entry, by the path of its mutation. */
  changes: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => Item>>;
}

/** How single entries are read. @internal */
export interface EntryReads {
  /** The query that reads one entry by its id. */
  get: string;
  /** That query's `include`, from the options of the list. */
  getIncludes: readonly string[];
  /** Fields that a list shows only when `include` names them. */
  included: Readonly<Record<string, readonly string[]>>;
  /** Fields, those of lines included, that events leave out where there is none. */
  optional: readonly string[];
  /** The field that says whether a change is already made. */
  decides: string;
}

const equal = (field: string) => (wanted: unknown, item: Item) => item[field] === wanted;

/** Every list that can be live, by the path of its query. @internal */
export const rows: Readonly<Record<string, LiveRow>> = {
  'orders.list': {
    events: ['order.created', 'order.updated'],
    idOf: ({ id }) => String(id),
    stateOf: ({ revision }) => Number(revision ?? 0),
    reads: {
      get: 'orders.get',
      getIncludes: ['books', 'customer', 'details', 'payments', 'snapshot', 'tax', 'revision'],
      included: {
        details: [
          'external_id',
          'channel',
          'is_take_away',
          'identifier',
          'payment_method_id',
          'cancel_reason',
          'note',
          'promised_at',
          'guests',
          'adjustments',
        ],
        items: ['items'],
      },
      optional: ['cancel_reason', 'note', 'promised_at', 'guests', 'adjustments', 'comment', 'subselections'],
      decides: 'status',
    },
    filters: {
      status: (wanted, { status }) => [wanted].flat().includes(status),
      number: equal('number'),
      external_id: equal('external_id'),
      channel: equal('channel'),
    },
    shown: { sort: 'created_at', order: 'desc', most: 200 },
    changes: {
      'orders.updateStatus': ({ status }) => ({ status }),
      'orders.cancel': ({ reason }) => ({
        status: 'canceled',
        ...(reason !== undefined && { cancel_reason: reason }),
      }),
    },
  },
  'stock.list': {
    events: ['stock.updated', 'product.deleted'],
    idOf: ({ product_id, id }) => String(product_id ?? id),
    // PostgreSQL takes it under the lock of the row: it never goes back. Of two changes in one millisecond the later event counts.
    stateOf: ({ updated_at }) => Date.parse(String(updated_at)),
    gone: 'product.deleted',
    filters: {},
    shown: { sort: 'updated_at', order: 'asc', most: Number.POSITIVE_INFINITY },
    changes: {},
  },
};
