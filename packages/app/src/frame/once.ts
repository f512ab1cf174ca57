import { skipToken, useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** A text that is shown once. */
export interface Shown {
  kind: 'newKey' | 'newSecret';
  /** The owner of the text. */
  of: string;
  text: string;
}

const queryKey = ['shown once'];
const none: readonly Shown[] = [];

/**
 * Texts that are shown once, the newest first; none displaces another. They are kept in memory, on any screen, until
 * each is dismissed or the session ends.
 */
export function useShownOnce() {
  const queries = useQueryClient();
  const { data: all = none } = useQuery<readonly Shown[]>({
    queryKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const change = (to: (before: readonly Shown[]) => readonly Shown[]) =>
    queries.setQueryData<readonly Shown[]>(queryKey, (before = none) => to(before));
  return {
    all,
    show: (shown: Shown) => void change((before) => [shown, ...before]),
    putAway: (text: string) => void change((before) => before.filter((each) => each.text !== text)),
  };
}

/** Has the browser ask before the page is closed or loaded again while such a text is shown, or a change is not answered. */
export function useAskBeforeLeaving(): void {
  const isAnyShown = useShownOnce().all.length > 0;
  const isAnyUnanswered = useIsMutating() > 0;
  const isAtStake = isAnyShown || isAnyUnanswered;
  useEffect(() => {
    if (!isAtStake) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAtStake]);
}
