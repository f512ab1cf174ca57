import type { ComandaClient } from '@comanda/client';
import { liveList } from '@comanda/client/live';
import { useLive } from '@comanda/client/react';
import { useEffect, useRef } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { boardTexts } from './texts.ts';

type Page = Awaited<ReturnType<ComandaClient['orders']['list']['query']>>;

/** An order as the board shows it. */
export type BoardOrder = Page['data'][number];

/** The status of an order. */
export type Status = BoardOrder['status'];

/** A column of the board. */
export type Column = Exclude<Status, 'canceled'>;

/** A move that a person asked for. */
export interface Move {
  order: BoardOrder;
  to: Exclude<Status, 'pending'>;
}

/** The present board: every open order and the last ones handed over, with the moves that are under way. */
export interface BoardOrders {
  columns: Readonly<Record<Column, readonly BoardOrder[]>>;
  /** Open orders beyond those that are shown. */
  beyond: Readonly<Record<OpenStatus, number>>;
  /** Orders whose move was asked for and is not answered. */
  moving: ReadonlySet<string>;
}

type OpenStatus = 'pending' | 'ready';

// Orders to make: the oldest first. Orders ready to hand over may wait for ever: the newest are shown. Of those that
// were handed over, the last first, however old it is.
const listsWith = (include: ('details' | 'items' | 'snapshot' | 'customer')[]) =>
  ({
    pending: [{ status: 'pending', include, order: 'asc' }, {}],
    ready: [{ status: 'ready', include, order: 'desc' }, {}],
    closed: [
      { status: 'closed', include, order: 'desc' },
      { most: 10, byArrival: true },
    ],
  }) as const;

const lists = {
  named: listsWith(['details', 'items', 'snapshot', 'customer']),
  nameless: listsWith(['details', 'items', 'snapshot']),
};

/** The lists that the key may read: with the names of customers, or without. */
function useLists() {
  const { may } = useGranted();
  return may?.('customers:read') ? lists.named : lists.nameless;
}

/** The orders of the board. `onCreated` is called with orders that come. */
export function useBoard(onCreated: (order: BoardOrder) => void) {
  const { comanda } = useComanda();
  const lists = useLists();
  const pending = useLive(comanda.orders.list, ...lists.pending);
  const ready = useLive(comanda.orders.list, ...lists.ready);
  const closed = useLive(comanda.orders.list, ...lists.closed);
  const all = [pending, ready, closed];
  useNews(pending.data, onCreated);
  useUnsent(pending);
  const board: BoardOrders | undefined =
    pending.data && ready.data && closed.data
      ? {
          columns: { pending: pending.data, ready: ready.data.toReversed(), closed: closed.data },
          beyond: {
            pending: pending.total - pending.data.length,
            ready: ready.total - ready.data.length,
          },
          moving: pending.pending,
        }
      : undefined;
  const error: unknown = all.find(({ error }) => error !== undefined)?.error ?? null;
  return {
    board,
    error,
    refetch: () => {
      for (const { refetch } of all) refetch();
    },
  };
}

/** Asks for moves; `onRefused` is called with one that was not made, and why. */
export function useMove(onRefused: (move: Move, error: unknown) => void) {
  const { comanda } = useComanda();
  const lists = useLists();
  return (move: Move): void => {
    const { order, to } = move;
    liveList(comanda.orders.list, ...lists.pending)
      .mutate(comanda.orders.updateStatus, { id: order.id, status: to })
      .catch((error) => onRefused(move, error));
  };
}

function useNews(orders: readonly BoardOrder[] | undefined, onCreated: (order: BoardOrder) => void): void {
  const seen = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (orders === undefined) return;
    const known = seen.current;
    seen.current = new Set([...(known ?? []), ...orders.map(({ id }) => id)]);
    for (const order of orders) if (known?.has(order.id) === false) onCreated(order);
  });
}

// Moves from before the page was loaded, which no caller waits for any more.
function useUnsent({ unsent, dismiss }: Pick<ReturnType<typeof useLive>, 'unsent' | 'dismiss'>): void {
  const { comanda } = useComanda();
  const texts = useTexts(boardTexts);
  const notify = useNotify();
  const say = useRefusal();
  const shown = useRef(new Set<string>());
  useEffect(() => {
    for (const { key, input, error } of unsent) {
      if (shown.current.has(key)) continue;
      shown.current.add(key);
      comanda.orders.get.query({ id: input.id }).then(
        ({ number }) => {
          notify(texts.notSent(number), error === undefined ? texts.tooOld : say(error));
          dismiss(key);
        },
        () => shown.current.delete(key),
      );
    }
  }, [unsent, dismiss, comanda, notify, say, texts]);
}
