import { type ComandaClient, comandaError, type EventType, listAll } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useFollowed } from '../frame/live.tsx';

/** The open turn, with what it collected by method. */
export type OpenTurn = Awaited<ReturnType<ComandaClient['turns']['getCurrent']['query']>>;

/** A turn that was closed, with its drawer where that was counted. */
export type ClosedTurn = Awaited<ReturnType<ComandaClient['turns']['close']['mutate']>>;

const everyMs = 3_000;
/** For keys of sessions from before the day could hear of payments. */
const lookAgainMs = 10_000;
const ofPayments: EventType[] = ['payment.updated'];
const ofTurns: EventType[] = ['turn.open', 'turn.updated', 'turn.closed'];
const ofOpenTurn: EventType[] = ['order.created', 'order.updated', ...ofTurns];

const openTurnKey = ['turn'];
const turnsKey = ['turns'];

/** Keeps the open turn and those that ended true; called once on the screen. */
export function useFollowedTurns(): void {
  const hearsPayments = useGranted().may?.('payments:read') === true;
  useFollowed(openTurnKey, { types: ofOpenTurn, everyMs });
  useFollowed(openTurnKey, { types: ofPayments, everyMs, isSeen: hearsPayments });
  useFollowed(turnsKey, { types: ofTurns, everyMs });
}

/** The open turn; null where none is. */
export function useOpenTurn() {
  const { comanda } = useComanda();
  const { may } = useGranted();
  const hearsPayments = may?.('payments:read') === true;
  return useQuery({
    queryKey: openTurnKey,
    refetchInterval: may === undefined || hearsPayments ? false : lookAgainMs,
    queryFn: ({ signal }): Promise<OpenTurn | null> =>
      comanda.turns.getCurrent.query({ include: ['methods'] }, { signal }).catch((error) => {
        if (comandaError(error)?.code === 'resource_not_found') return null;
        throw error;
      }),
  });
}

/** How many orders and payments of the location are open, read again with each look. */
export function useStillOpen() {
  const { comanda } = useComanda();
  const { may } = useGranted();
  return useQuery({
    queryKey: ['still open'],
    enabled: may?.('orders:read') === true && may('payments:read'),
    queryFn: async ({ signal }) => {
      const orders = ['pending', 'ready'] as const;
      const pages = await Promise.all([
        comanda.payments.list.query({ status: 'pending', limit: 1 }, { signal }),
        ...orders.map((status) => comanda.orders.list.query({ status, limit: 1 }, { signal })),
      ]);
      const [payments = 0, ...ofOrders] = pages.map(({ pagination }) => pagination.total);
      return { payments, orders: ofOrders.reduce((sum, total) => sum + total, 0) };
    },
  });
}

/** The turns that ended on a day of the location, the latest first. */
export function useTurnsEnded(day: string) {
  const { comanda } = useComanda();
  const { dayOf } = useFormat();
  return useQuery({
    queryKey: [...turnsKey, day],
    queryFn: async ({ signal }) => {
      const ended = [];
      for await (const turn of listAll(comanda.turns.list, {}, { signal })) {
        if (turn.ended_at === undefined) continue;
        const of = dayOf(turn.ended_at);
        if (of < day) break;
        if (of === day) ended.push(turn);
      }
      return ended;
    },
  });
}

/** An amount as a person types it, with a comma or a point; undefined where it is none. */
export function amountIn(text: string): number | undefined {
  const typed = text.trim().replace(',', '.');
  return /^\d{1,10}(\.\d{1,2})?$/.test(typed) ? Number(typed) : undefined;
}

const cents = (amount: number): number => Math.round(amount * 100);

/** The expected cash in the drawer: the cash at the start, and the cash of the turn, less refunds. */
export function expectedCash({ methods = [] }: OpenTurn, startingCash: number): number {
  const cash = methods.find(({ method }) => method === 'cash');
  return (cents(startingCash) + cents(cash?.collected ?? 0) + cents(cash?.refunded ?? 0)) / 100;
}

/** The amount above the expected one; below zero where cash is missing. */
export const differenceOf = (counted: number, expected: number): number =>
  (cents(counted) - cents(expected)) / 100;
