import type { ComandaClient } from '@comanda/client';
import { useLive } from '@comanda/client/react';
import { useMemo } from 'react';
import { useComanda } from './comanda.tsx';

/** A product that has stock, with what is left of it. */
export type StockEntry = Awaited<ReturnType<ComandaClient['stock']['list']['query']>>['data'][number];

/** All stock, live, cut by `select`, which is the same function each time. */
export function useStock<Cut>(select: (entries: readonly StockEntry[]) => Cut) {
  const { comanda } = useComanda();
  const { data, error } = useLive(comanda.stock.list);
  const cut = useMemo(() => data && select(data), [data, select]);
  return { data: cut, error };
}
