import { type ComandaClient, listAll, type PublishedEvent } from '@comanda/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useComanda } from './comanda.tsx';
import { useEvents, useReading } from './live.tsx';

/** A product that has stock, with what is left of it. */
export type StockEntry = Awaited<ReturnType<ComandaClient['stock']['list']['query']>>['data'][number];

type Stock = ReadonlyMap<string, StockEntry>;

const queryKey = ['stock'];

/** All stock, cut by `select`. It is read once; events tell the rest. Keys that may not read it do without (`isWanted`). */
export function useStock<Cut>(select: (entries: StockEntry[]) => Cut, isWanted = true) {
  const { comanda } = useComanda();
  const queries = useQueryClient();
  const reading = useReading();
  useEvents((event) => {
    queries.setQueryData<Stock>(queryKey, (known) => known && follow(known, event));
  });
  return useQuery({
    queryKey,
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { data, meanwhile } = await reading(() => readStock(comanda, signal));
      return meanwhile.reduce(follow, data);
    },
    select: (entries) => select([...entries.values()]),
  });
}

async function readStock(comanda: ComandaClient, signal: AbortSignal): Promise<Stock> {
  const entries = new Map<string, StockEntry>();
  for await (const entry of listAll(comanda.stock.list, {}, { signal })) entries.set(entry.product_id, entry);
  return entries;
}

function follow(known: Stock, event: PublishedEvent): Stock {
  if (event.type === 'stock.updated') {
    const { product_id, updated_at } = event.data;
    const before = known.get(product_id);
    // What was read meanwhile may be newer than an event that is late.
    if (before !== undefined && Date.parse(before.updated_at) > Date.parse(updated_at)) return known;
    return new Map(known).set(product_id, event.data);
  }
  if (event.type !== 'product.deleted') return known;
  const left = new Map(known);
  left.delete(event.data.id);
  return left;
}
