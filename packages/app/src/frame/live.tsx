import { comandaError, type EventType, type PublishedEvent } from '@comanda/client';
import { watchShared } from '@comanda/client/shared';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useComanda } from './comanda.tsx';
import { useTexts } from './language.tsx';
import { hasEnded, type ScreenName } from './session.ts';
import { frameTexts } from './texts.ts';

/** What each screen is told of as it happens: its key sees these types. */
const watched: Readonly<Record<ScreenName, readonly EventType[]>> = {
  board: ['order.created', 'order.updated'],
  day: ['order.created', 'order.updated', 'stock.updated', 'product.deleted'],
  desk: ['order.updated'],
};

const tryAgainMs = 5_000;

type Listener = (event: PublishedEvent) => void;
type Standing = 'connecting' | 'live' | 'waiting' | 'offline';

interface Live {
  standing: Standing;
  listeners: Set<Listener>;
}

const Context = createContext<Live>({ standing: 'connecting', listeners: new Set() });

/**
 * Keeps the one stream of events of a session, which the tabs of a browser share. What screens have read is read again
 * when a stream begins anew: what happened in between is in no event.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { comanda, session } = useComanda();
  const queries = useQueryClient();
  const [standing, setStanding] = useState<Standing>('connecting');
  const [listeners] = useState(() => new Set<Listener>());
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round opens a new stream.
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const watch = async (): Promise<void> => {
      let isNew = true;
      const events = watchShared(
        comanda,
        `${session.location.id} ${session.name}`,
        { types: [...new Set(session.screens.flatMap((screen) => watched[screen]))] },
        {
          signal,
          onState({ status }) {
            if (signal.aborted) return;
            setStanding(status);
            // A first read that is under way may be from before the stream: it would be joined, so it is ended.
            if (status === 'live' && isNew)
              void queries.cancelQueries().then(() => queries.invalidateQueries());
            if (status === 'live') isNew = false;
          },
        },
      );
      for await (const event of events) for (const listener of listeners) listener(event);
    };
    const again = () => setRound((before) => before + 1);
    let timer: ReturnType<typeof setTimeout> | undefined;
    watch().catch((error) => {
      if (signal.aborted) return;
      // The place in the feed is too old to go on from.
      if (comandaError(error)?.reason === 'unknown_cursor') return again();
      setStanding('waiting');
      // A key that is over is told by the next call; all else on the way is gone again some time.
      if (hasEnded(error)) return queries.invalidateQueries();
      timer = setTimeout(again, tryAgainMs);
    });
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [comanda, session, queries, listeners, round]);
  const isOnline = useIsOnline();
  return <Context value={{ standing: isOnline ? standing : 'offline', listeners }}>{children}</Context>;
}

/** Calls `listener` with each event; the one of the last drawing. */
export function useEvents(listener: Listener): void {
  const { listeners } = useContext(Context);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const tell: Listener = (event) => latest.current(event);
    listeners.add(tell);
    return () => {
      listeners.delete(tell);
    };
  }, [listeners]);
}

/** Reads, and keeps the events that come meanwhile: what is read may be from before them. */
export function useReading() {
  const { listeners } = useContext(Context);
  return async <Data,>(read: () => Promise<Data>): Promise<{ data: Data; meanwhile: PublishedEvent[] }> => {
    const meanwhile: PublishedEvent[] = [];
    const keep: Listener = (event) => meanwhile.push(event);
    listeners.add(keep);
    try {
      return { data: await read(), meanwhile };
    } finally {
      listeners.delete(keep);
    }
  };
}

/** Reads queries again after changes, at most once in `ms`. */
export function useReadAgain(queryKey: readonly string[], ms: number): () => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey });
    }, ms);
  };
}

/** Says whether the screen is live; over the whole width when there is no connection. */
export function LiveSign() {
  const { standing } = useContext(Context);
  const texts = useTexts(frameTexts);
  return (
    <span className={`live ${standing}`} role="status">
      {texts[standing]}
    </span>
  );
}

/** Whether the browser has a connection. */
export function useIsOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return isOnline;
}
