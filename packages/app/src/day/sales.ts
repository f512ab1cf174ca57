import type { ComandaClient, EventType } from '@comanda/client';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useFollowed } from '../frame/live.tsx';
import { type StockEntry, useStock } from '../frame/stock.ts';

/** The sales of a day, in one grouping. */
export type Report = Awaited<ReturnType<ComandaClient['salesReports']['get']['query']>>;

/** The ways in which the day is cut. */
export const cuts = ['hour', 'channel', 'payment_method', 'product'] as const;

/** One of them. */
export type Cut = (typeof cuts)[number];

/** Sales change with every order; they are read again at most this often. */
const everyMs = 3_000;
const ofOrders: EventType[] = ['order.created', 'order.updated'];
const salesKey = ['sales'];

/** Has the reports of a day follow the orders as they come; called once on the screen. */
export function useFollowedSales(day: string): void {
  useFollowed([...salesKey, day], { types: ofOrders, everyMs });
}

/** The reports of a day, in the order of `cuts`. */
export function useReports(day: string) {
  const { comanda } = useComanda();
  return useQueries({
    queries: cuts.map((cut) => ({
      queryKey: [...salesKey, day, cut],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        comanda.salesReports.get.query({ from: day, to: day, group_by: cut }, { signal }),
      placeholderData: keepPreviousData,
    })),
  });
}

/** Products whose stock is at its alarm or below, the least left first. */
export const useLowStock = () => useStock(runningLow);

const runningLow = (entries: readonly StockEntry[]): StockEntry[] =>
  entries
    .filter(({ stock }) => stock.enabled && stock.quantity <= stock.min_stock_alarm)
    .sort((one, other) => one.stock.quantity - other.stock.quantity);
