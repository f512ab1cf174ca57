import type { ComandaClient, PublishedEvent } from '@comanda/client';
import { listAll } from '@comanda/client';
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useEvents, useReadAgain, useReading } from '../frame/live.tsx';

/** What was sold on a day, cut in one way. */
export type Report = Awaited<ReturnType<ComandaClient['salesReports']['get']['query']>>;

type StockEntry = Awaited<ReturnType<ComandaClient['stock']['list']['query']>>['data'][number];

/** The ways in which the day is cut. */
export const cuts = ['hour', 'channel', 'payment_method'] as const;

/** One of them. */
export type Cut = (typeof cuts)[number];

/** Sales change with every order; they are read again at most this often. */
const readAgainMs = 3_000;

/** The reports of a day, in the order of `cuts`; today's follow the orders as they come. */
export function useReports(day: string) {
  const { comanda } = useComanda();
  const readAgain = useReadAgain(['sales'], readAgainMs);
  useEvents(({ type }) => {
    if (type.startsWith('order.')) readAgain();
  });
  return useQueries({
    queries: cuts.map((cut) => ({
      queryKey: ['sales', day, cut],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        comanda.salesReports.get.query({ from: day, to: day, group_by: cut }, { signal }),
      placeholderData: keepPreviousData,
    })),
  });
}

type Stock = ReadonlyMap<string, StockEntry>;

/** Products whose stock is at its alarm or below, the least left first. All stock is read once; events tell the rest. */
export function useLowStock() {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const reading = useReading();
  const queryKey = ['stock'];
  useEvents((event) => {
    queries.setQueryData<Stock>(queryKey, (known) => known && follow(known, event));
  });
  return useQuery({
    queryKey,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { data, meanwhile } = await reading(() => readStock(comanda, signal));
      return meanwhile.reduce(follow, data);
    },
    select: (entries) =>
      [...entries.values()]
        .filter(({ stock }) => stock.enabled && stock.quantity <= stock.min_stock_alarm)
        .sort((one, other) => one.stock.quantity - other.stock.quantity),
  });
}

async function readStock(comanda: ComandaClient, signal: AbortSignal): Promise<Stock> {
  const entries = new Map<string, StockEntry>();
  for await (const entry of listAll(comanda.stock.list, {}, { signal })) entries.set(entry.product_id, entry);
  return entries;
}

function follow(known: Stock, event: PublishedEvent): Stock {
  if (event.type === 'stock.updated') return new Map(known).set(event.data.product_id, event.data);
  if (event.type !== 'product.deleted') return known;
  const left = new Map(known);
  left.delete(event.data.id);
  return left;
}
