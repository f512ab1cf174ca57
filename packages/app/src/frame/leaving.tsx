import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTexts } from './language.tsx';
import { useSessionLive } from './live.tsx';
import { frameTexts } from './texts.ts';

/** Calls without an answer by then are given up, and named. */
const leavingMs = 5_000;

/**
 * Shown in place of the screens once a person wants to leave the session: its key is revoked after the calls made with
 * it are answered, and after its stream and its reads have ended, which would be refused from then on. A screen that leaves the page has
 * sent by then the changes that it held.
 */
export function Leaving({ onLeft }: { onLeft(): void }) {
  const texts = useTexts(frameTexts);
  const live = useSessionLive();
  const queries = useQueryClient();
  useEffect(() => {
    let isEnding = false;
    const leave = () => {
      // The end of the live lists is a change of them, too.
      if (isEnding) return;
      isEnding = true;
      live.signOut();
      void queries.cancelQueries().then(onLeft);
    };
    const look = () => {
      const isOpen = live.changes().some(({ status }) => status === 'sending' || status === 'waiting');
      if (!isOpen && queries.isMutating() === 0) leave();
    };
    const timer = setTimeout(leave, leavingMs);
    const forget = [live.subscribe(look), queries.getMutationCache().subscribe(look)];
    look();
    return () => {
      clearTimeout(timer);
      for (const end of forget) end();
    };
  }, [live, queries, onLeft]);
  return <p className="sentence">{texts.signingOut}</p>;
}
