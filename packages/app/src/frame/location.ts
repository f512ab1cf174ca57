import { tagOf } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useComanda } from './comanda.tsx';

/** A resource with its entity tag, which would not outlive a copy. */
export const tagged = <Answer extends object>(answer: Answer): Answer & { etag: string | undefined } => ({
  ...answer,
  etag: tagOf(answer),
});

/** The location as it is now, for keys that may read it. */
export function useLocation(isWanted = true) {
  const { comanda } = useComanda();
  return useQuery({
    queryKey: ['location'],
    queryFn: async ({ signal }) => tagged(await comanda.locations.getCurrent.query(undefined, { signal })),
    enabled: isWanted,
    // The end of a pause is no event.
    refetchInterval: ({ state: { data } }) =>
      data?.paused_until !== undefined &&
      Math.min(60_000, Math.max(1_000, Date.parse(data.paused_until) - Date.now())),
  });
}

/**
 * Keeps the session's location as it is now: sign-in returned it as it was then. Keys without the desk may not read
 * it.
 */
export function useFollowedLocation(): void {
  const { session, relocate } = useComanda();
  const { data } = useLocation(session.screens.includes('desk'));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values read are taken once, at any later drawing.
  useEffect(() => {
    if (data === undefined) return;
    const { name, timezone, currency } = data;
    const { location } = session;
    if (name === location.name && timezone === location.timezone && currency === location.currency) return;
    relocate({ name, timezone, currency });
  }, [data]);
}
