import { calledOf } from '../called.ts';
import type { List } from '../list.ts';
import type { LiveChange } from './change.ts';
import type { LiveSnapshot } from './list.ts';
import { ownLive } from './live.ts';
import { rows } from './rows.ts';

/** How a live list is shown. */
export interface LiveListOptions {
  /** How many entries are kept, the first of its order; 200 orders, or all stock, unless given. */
  most?: number | undefined;
  /**
   * The last that came into the list is the first of it, under any `sort` and `order` of those that were read at
   * first.
   */
  byArrival?: boolean | undefined;
}

/** A mutation of the client: `comanda.orders.updateStatus`. */
export interface Mutation<Input> {
  mutate(input: Input): Promise<unknown>;
}

// Not `NoInfer`: TypeScript has it from 5.4 on.
type NotInferred<Input> = [Input][Input extends unknown ? 0 : never];

/** A list that events keep true. It reads and follows while anybody subscribes to it. */
export interface LiveList<Entry> {
  /** Calls `listener` when there is another snapshot; ends that. */
  subscribe(listener: () => void): () => void;
  /** The list now. */
  getSnapshot(): LiveSnapshot<Entry>;
  /**
   * Makes a change: the list shows it at once. It is kept until it is answered, sent again with the same idempotency key, and rejects with
   * the refusal, which the list no longer shows then. The same change twice is one, and one that is already made is done. Of orders it
   * takes `orders.updateStatus` and `orders.cancel`.
   *
   * @throws {TypeError} for any other mutation.
   */
  mutate<Input extends { id: string }>(procedure: Mutation<Input>, input: NotInferred<Input>): Promise<void>;
  /** Reads the list again. */
  refetch(): void;
  /** Forgets a change of `unsent`. */
  dismiss(key: string): void;
}

/** The options of a list in addition to its filters. */
export type LiveFilters<Input> = Omit<Exclude<Input, void>, 'limit' | 'offset' | 'cursor' | 'updated_since'>;

/**
 * A list that events keep true: `orders.list` or `stock.list`. The same list and filters answer the same object.
 * `include` of `items` and others is kept to for entries that come later. A filter by date or turn is the service's to
 * judge: the list is read again after events, at most every two seconds. In addition to `events:read` and the
 * permission of the list its key needs those of the events: of stock `products:read`, since a deleted product leaves.
 *
 * @throws {TypeError} when `list` is no list of a client that can be live.
 *
 * @example
 * const list = liveList(comanda.orders.list, { status: ['pending', 'ready'] });
 * list.subscribe(() => draw(list.getSnapshot().data ?? []));
 */
// biome-ignore lint/suspicious/noConfusingVoidType: what may be left out of a call is void.
export function liveList<Entry, Input extends object | void>(
  list: List<Input, Entry>,
  filters?: LiveFilters<Input>,
  { most, byArrival = false }: LiveListOptions = {},
): LiveList<Entry> {
  const called = calledOf(list);
  const { path } = called;
  const { shown } = rows[path] ?? {};
  const live = ownLive(called);
  const given = Object.entries((filters ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined,
  );
  const {
    include = [],
    sort = shown?.sort,
    order = shown?.order,
    ...rest
  } = Object.fromEntries(given.sort(([one], [other]) => (one < other ? -1 : 1)));
  const own = live.list(path, {
    filters: rest,
    include: include as string[],
    sort: String(sort),
    order: order === 'asc' ? 'asc' : 'desc',
    most: most ?? shown?.most ?? 0,
    byArrival,
  });
  own.typed ??= {
    subscribe: own.subscribe,
    getSnapshot: own.getSnapshot,
    mutate(procedure: Mutation<LiveChange['input']>, input: LiveChange['input']) {
      const { path } = calledOf(procedure);
      if (!(path in own.row.changes)) {
        const known = Object.keys(own.row.changes).join(', ') || 'none';
        throw new TypeError(`${path} is no change of this list, which has ${known}`);
      }
      return live.mutate(path, input);
    },
    refetch: own.refetch,
    dismiss: live.dismiss,
  };
  return own.typed as LiveList<Entry>;
}
