import type { ComandaClient, PublishedEvent } from '@comanda/client';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useEvents, useReading } from '../frame/live.tsx';

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
  beyond: number;
  /** Orders whose move was asked for and is not answered. */
  moving: ReadonlySet<string>;
}

interface Known {
  orders: BoardOrder[];
  beyond: number;
}

const queryKey = ['board'];
const mutationKey = ['board', 'move'];
const most = 200;
const handedOver = 10;

/**
 * The orders of the board. What the service said is kept as it was said; a move under way is laid over it, so that a
 * refusal leaves what is true. `onCreated` is told of orders that come.
 */
export function useBoard(onCreated: (order: BoardOrder) => void) {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const reading = useReading();
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
    queries.setQueryData<Known>(queryKey, followed);
    const came = followed.orders.find(({ id }) => !known.orders.some((order) => order.id === id));
    if (came?.status === 'pending') onCreated(came);
  });
  const moves = useMutationState({
    filters: { mutationKey, status: 'pending' },
    select: ({ state }) => state.variables as Move,
  });
  return { ...query, board: query.data && boardOf(query.data, moves) };
}

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

async function readBoard(comanda: ComandaClient, signal: AbortSignal): Promise<Known> {
  const include = ['details', 'items'] as ['details', 'items'];
  const [open, closed] = await Promise.all([
    comanda.orders.list.query(
      { status: ['pending', 'ready'], include, limit: most, order: 'asc' },
      { signal },
    ),
    comanda.orders.list.query({ status: 'closed', include, limit: handedOver }, { signal }),
  ]);
  const beyond = open.pagination.total - open.data.length;
  return { orders: [...open.data, ...closed.data.reverse()], beyond };
}

/** The board after an event. */
function follow(known: Known, event: PublishedEvent): Known {
  if (event.type !== 'order.created' && event.type !== 'order.updated') return known;
  return { ...known, orders: withOrder(known.orders, event.data) };
}

const rank: Readonly<Record<Status, number>> = { pending: 0, ready: 1, closed: 2, canceled: 2 };

// Orders never move back: what tells of an earlier status was late.
function withOrder(orders: readonly BoardOrder[], order: BoardOrder): BoardOrder[] {
  const at = orders.findIndex(({ id }) => id === order.id);
  const known = orders[at];
  if (known === undefined) return [...orders, order];
  return rank[known.status] > rank[order.status] ? [...orders] : orders.with(at, order);
}

function boardOf({ orders, beyond }: Known, moves: readonly Move[]): BoardOrders {
  const wanted = new Map(moves.map(({ order, to }) => [order.id, to]));
  const shown = orders.map((order) => {
    const to = wanted.get(order.id);
    return to !== undefined && rank[to] > rank[order.status] ? { ...order, status: to } : order;
  });
  const at = (status: Status) => shown.filter((order) => order.status === status);
  return {
    columns: {
      pending: at('pending'),
      ready: at('ready'),
      closed: at('closed').slice(-handedOver).reverse(),
    },
    ...{ beyond, moving: new Set(wanted.keys()) },
  };
}
