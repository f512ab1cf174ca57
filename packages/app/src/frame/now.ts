import { useQuery } from '@tanstack/react-query';

const tickMs = 10_000;

/** The time now in milliseconds, renewed every ten seconds while the screen is shown. */
export function useNow(): number {
  return useQuery({
    queryKey: ['now'],
    queryFn: () => Date.now(),
    initialData: Date.now,
    refetchInterval: tickMs,
    // The time goes on without a connection, too.
    networkMode: 'always',
  }).data;
}
