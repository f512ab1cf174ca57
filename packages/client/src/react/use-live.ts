import { useSyncExternalStore } from 'react';
import type { List } from '../list.ts';
import {
  type LiveFilters,
  type LiveList,
  type LiveListOptions,
  type LiveSnapshot,
  liveList,
} from '../live.ts';

/** A live list as a component has it. */
export interface LiveView<Entry>
  extends LiveSnapshot<Entry>,
    Pick<LiveList<Entry>, 'mutate' | 'refetch' | 'dismiss'> {}

/**
 * A list that events keep true, and changes that show at once. Components with the same list and filters share one. For tabs that
 * share a stream, and for changes that outlast a reload, call `liveOf(comanda, { scope })` before.
 *
 * @example
 * const { data, state, mutate } = useLive(comanda.orders.list, { status: ['pending', 'ready'], include: ['items'] });
 */
// biome-ignore lint/suspicious/noConfusingVoidType: what may be left out of a call is void.
export function useLive<Entry, Input extends object | void>(
  list: List<Input, Entry>,
  filters?: LiveFilters<Input>,
  options?: LiveListOptions,
): LiveView<Entry> {
  const { subscribe, getSnapshot, mutate, refetch, dismiss } = liveList(list, filters, options);
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  return { ...snapshot, mutate, refetch, dismiss };
}
