import { unanswered } from './failure.ts';
import type { Given, IncludeOf, Showing } from './operations.ts';

/** A deletion, as a list of changes reports it. */
export interface Deletion {
  id: string;
  deleted_at: string;
}

/** A part of a list, as every list answers it. */
export interface ListPage<Item> {
  data: Item[];
  /** With `include` of `deleted`. */
  deleted?: Deletion[] | undefined;
  pagination: {
    /** How many entries the page could have: fewer of them are the end. Smaller than asked for where they are large. */
    limit: number;
    next?: string | undefined;
    /** How many entries the list has, where it counts them. */
    total?: number | undefined;
  };
}

/** A procedure that returns a list with `offset`: `comanda.orders.list`. */
export interface List<Input, Item> {
  query(input: Input, options?: { signal?: AbortSignal }): Promise<ListPage<Item>>;
}

/** An entry of a list, with what `include` asks for. */
type EntryOf<Item, Input, Asked extends readonly string[]> = 'include' extends keyof Given<Input>
  ? number extends Asked['length']
    ? Item
    : Showing<Item, IncludeOf<Input>, Asked[number]>
  : Item;

/** How a list is read. */
export interface ListOptions {
  /** Ends the loop: it throws as a call does that is given up. */
  signal?: AbortSignal | undefined;
  /** With `include: ['deleted']`: gets what was deleted, page by page, once the loop is done with the entries of its page. */
  onDeleted?: ((deleted: readonly Deletion[]) => void | Promise<void>) | undefined;
  /** With `updated_since` or `cursor`: gets the `cursor` to read on with, once the loop is done with all before it. */
  onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
}

interface Paging {
  limit?: number | undefined;
  offset?: number | undefined;
  updated_since?: string | undefined;
  cursor?: string | undefined;
}

/**
 * Every entry of a list, page by page as the loop reaches them: 200 a request unless `limit` says otherwise. With
 * `updated_since` or `cursor` what has changed, up to now. An entry that moves to the next page meanwhile comes once.
 * A call that fails throws what the call alone would throw; `signal` ends it.
 *
 * @example
 * for await (const order of listAll(comanda.orders.list, { status: 'ready' })) console.log(order.number);
 */
export async function* listAll<
  Item,
  // biome-ignore lint/suspicious/noConfusingVoidType: what may be left out of a call is void.
  Input extends Paging | void,
  const Asked extends readonly IncludeOf<Input>[] = [],
>(
  list: List<Input, Item>,
  input?: Omit<Given<Input>, 'include'> & { include?: Asked | undefined },
  { signal, onDeleted, onCursor }: ListOptions = {},
): AsyncGenerator<EntryOf<Item, Input, Asked>, void, undefined> {
  const {
    limit = largestPage,
    offset: from = 0,
    cursor,
    updated_since,
    ...filters
  } = (input ?? {}) as Paging;
  let place: Paging = cursor === undefined ? { updated_since } : { cursor };
  const listsChanges = cursor !== undefined || updated_since !== undefined;
  let before: ReadonlySet<unknown> = new Set();
  for (let offset = from; ; ) {
    if (signal?.aborted) throw unanswered('listAll', 'aborted', 'given up', signal.reason);
    if (!listsChanges) place = { offset };
    const page = await list.query({ ...filters, limit, ...place } as Input, signal && { signal });
    const { data, deleted = [], pagination } = page;
    for (const entry of data) if (!before.has(idOf(entry))) yield entry as EntryOf<Item, Input, Asked>;
    if (deleted.length > 0) await onDeleted?.(deleted);
    if (pagination.next !== undefined) await onCursor?.(pagination.next);
    if (data.length < pagination.limit) return;
    offset += pagination.limit;
    // A server other than the service, such as a fake, may return the same page for ever.
    const isEnd = listsChanges
      ? pagination.next === undefined || pagination.next === place.cursor
      : pagination.total === undefined
        ? data.every((entry) => before.has(idOf(entry)))
        : offset >= pagination.total;
    if (isEnd) return;
    place = { cursor: pagination.next };
    before = listsChanges ? before : new Set(data.map(idOf));
  }
}

/** The service gives no more at once. @internal */
export const largestPage = 200;

function idOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : entry;
}
