import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';

const tickMs = 10_000;
const NowContext = createContext(0);

/** The time now in milliseconds, renewed every ten seconds while the screen is shown. */
export const useNow = (): number => useContext(NowContext);

/** One clock for all that follows the time: a query of each would have a timer of each. */
export function Clock({ children }: { children: ReactNode }) {
  const { data } = useQuery({
    queryKey: ['now'],
    queryFn: () => Date.now(),
    initialData: Date.now,
    refetchInterval: tickMs,
    // The time goes on without a connection, too.
    networkMode: 'always',
  });
  return <NowContext value={data}>{children}</NowContext>;
}
