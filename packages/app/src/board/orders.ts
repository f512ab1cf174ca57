import type { ComandaClient, PublishedEvent } from '@comanda/client';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useEvents, useReadAgain, useReading } from '../frame/live.tsx';

type Page = Awaited<ReturnType<ComandaClient['orders']['list']['query']>>;

/** An order as the board shows it. */
export type BoardOrder = Page['data'][number];

/** Where an order stands. */
export type Status = BoardOrder['status'];

/** A column of the board. */
export type Column = Exclude<Status, 'canceled'>;

/** A move that a person asked for. */
export interface Move {
  order: BoardOrder;
  to: Exclude<Status, 'pending'>;
}

/** The board as it stands: every open order and the last that were handed over, with the moves that are under way. */
export interface BoardOrders {
  columns: Readonly<Record<Column, BoardOrder[]>>;
  /** Open orders beyond those that are shown. */
  beyond: Readonly<Record<OpenStatus, number>>;
  /** Orders whose move was asked for and is not answered. */
  moving: ReadonlySet<string>;
}

type OpenStatus = 'pending' | 'ready';

interface Known {
  /** Pending and ready ones as they were made, those handed over as they left. */
  orders: BoardOrder[];
  beyond: Readonly<Record<OpenStatus, number>>;
}

const queryKey = ['board'];
const mutationKey = ['board', 'move'];
const most = 200;
const handedOver = 10;
/** A board that does not hold all open orders is read again after changes, at most this often. */
const readAgainMs = 3_000;

/**
 * The orders of the board. What the service said is kept as it was said; a move under way is laid over it, so that a
 * refusal leaves what is true. `onCreated` is told of orders that come.
 */
export function useBoard(onCreated: (order: BoardOrder) => void) {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const reading = useReading();
  const readAgain = useReadAgain(queryKey, readAgainMs);
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Known> => {
      const { data, meanwhile } = await reading(() => readBoard(comanda, signal));
      return meanwhile.reduce(follow, data);
    },
  });
  useEvents((event) => {
    const known = queries.getQueryData<Known>(queryKey);
    if (known === undefined) return;
    const followed = follow(known, event);
    if (followed === known) return;
    queries.setQueryData<Known>(queryKey, followed);
    if (known.beyond.pending + known.beyond.ready > 0) readAgain();
    const came = followed.orders.find(({ id }) => !known.orders.some((order) => order.id === id));
    if (came?.status === 'pending') onCreated(came);
  });
  useNamedChoices(query.data);
  const moves = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Move,
  });
  return { ...query, board: query.data && boardOf(query.data, moves) };
}

// Events have the documented fields alone, which name nothing that was chosen: such an order is read.
function useNamedChoices(known: Known | undefined): void {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const asked = useRef(new Set<string>());
  useEffect(() => {
    for (const order of known?.orders ?? []) {
      const { id } = order;
      if (hasNames(order) || asked.current.has(id)) continue;
      asked.current.add(id);
      comanda.orders.get.query({ id, include: ['snapshot'] }).then(
        ({ items }) =>
          queries.setQueryData<Known>(
            queryKey,
            (now) =>
              now && {
                ...now,
                orders: now.orders.map((each) => (each.id === id ? { ...each, items } : each)),
              },
          ),
        () => {
          asked.current.delete(id);
          return queries.invalidateQueries({ queryKey });
        },
      );
    }
  }, [known, comanda, queries]);
}

const hasNames = ({ items = [] }: BoardOrder): boolean =>
  items.every(({ subselections = [] }) => subselections.every(({ name }) => name !== undefined));

/** Asks for moves; `onRefused` is told why one was not made. */
export function useMove(onRefused: (move: Move, error: unknown) => void) {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: ({ order: { id }, to }: Move) => comanda.orders.updateStatus.mutate({ id, status: to }),
    onSuccess: (order) => {
      queries.setQueryData<Known>(
        queryKey,
        (known) => known && { ...known, orders: withOrder(known.orders, order) },
      );
    },
    onError: (error, move) => {
      onRefused(move, error);
      return queries.invalidateQueries({ queryKey });
    },
  });
  return mutate;
}

// What is to be made: the oldest first. What waits to be handed over may wait for ever: the newest are shown.
async function readBoard(comanda: ComandaClient, signal: AbortSignal): Promise<Known> {
  const include = ['details', 'items', 'snapshot'] as ['details', 'items', 'snapshot'];
  const list = (status: Column, limit: number, order: 'asc' | 'desc') =>
    comanda.orders.list.query({ status, include, limit, order }, { signal });
  const [pending, ready, closed] = await Promise.all([
    list('pending', most, 'asc'),
    list('ready', most, 'desc'),
    list('closed', handedOver, 'desc'),
  ]);
  const beyond = ({ pagination, data }: Page) => pagination.total - data.length;
  return {
    orders: [...pending.data, ...ready.data.reverse(), ...closed.data.reverse()],
    beyond: { pending: beyond(pending), ready: beyond(ready) },
  };
}

/** The board after an event. */
function follow(known: Known, event: PublishedEvent): Known {
  if (event.type !== 'order.created' && event.type !== 'order.updated') return known;
  const orders = withOrder(known.orders, event.data);
  return orders === known.orders ? known : { ...known, orders };
}

const rank: Readonly<Record<Status, number>> = { pending: 0, ready: 1, closed: 2, canceled: 2 };

// Orders never move back: what tells of an earlier status was late. Who leaves comes last among those that left.
function withOrder(orders: BoardOrder[], next: BoardOrder): BoardOrder[] {
  const at = orders.findIndex(({ id }) => id === next.id);
  const known = orders[at];
  if (known === undefined) return [...orders, next];
  // Lines never change, and what is known of them may be more.
  const order = { ...next, ...(known.items && { items: known.items }) };
  if (rank[known.status] > rank[order.status]) return orders;
  const leaves = known.status !== order.status && rank[order.status] === rank.closed;
  return leaves ? [...orders.toSpliced(at, 1), order] : orders.with(at, order);
}

function boardOf({ orders, beyond }: Known, moves: readonly Move[]): BoardOrders {
  const shown = moves.reduce((before, { order, to }) => {
    const known = before.find(({ id }) => id === order.id);
    return known === undefined ? before : withOrder(before, { ...known, status: to });
  }, orders);
  const at = (status: Status) => shown.filter((order) => order.status === status);
  return {
    columns: {
      pending: at('pending'),
      ready: at('ready'),
      closed: at('closed').slice(-handedOver).reverse(),
    },
    ...{ beyond, moving: new Set(moves.map(({ order }) => order.id)) },
  };
}
