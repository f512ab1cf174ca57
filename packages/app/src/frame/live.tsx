import type { EventType, PublishedEvent } from '@comanda/client';
import { type Live, liveOf } from '@comanda/client/live';
import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useComanda } from './comanda.tsx';
import { useTexts } from './language.tsx';
import { hasEnded, type ScreenName } from './session.ts';
import { frameTexts } from './texts.ts';

/** The types of events that each screen follows: its key sees these. */
const watched: Readonly<Record<ScreenName, readonly EventType[]>> = {
  board: ['order.created', 'order.updated'],
  day: [
    ...['order.created', 'order.updated', 'stock.updated', 'product.deleted'],
    ...['turn.open', 'turn.updated', 'turn.closed'],
  ] as EventType[],
  desk: ['order.updated'],
};

type Listener = (event: PublishedEvent) => void;

interface Signs {
  live: Live | undefined;
  listeners: Set<Listener>;
}

const Context = createContext<Signs>({ live: undefined, listeners: new Set() });

/**
 * The live lists of a session and their stream of events, which the tabs of a browser share. What screens have read is read again
 * whenever events may have been missed. Whoever signs out takes what was not sent along.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { comanda, session } = useComanda();
  const { screens } = session;
  const queries = useQueryClient();
  const [listeners] = useState(() => new Set<Listener>());
  const [live] = useState(() =>
    liveOf(comanda, {
      scope: `${session.location.id} ${session.name}`,
      onError(error) {
        // The frame hears of a key that is over from the queries.
        if (hasEnded(error)) {
          const queryFn = () => Promise.reject(error);
          void queries.fetchQuery({ queryKey: ['ended'], queryFn }).catch(() => {});
        }
      },
    }),
  );
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    const tell = (event: PublishedEvent) => {
      for (const listener of listeners) listener(event);
    };
    // A first reading that is under way may be from before the stream: it would be joined, so it is ended.
    const readAgain = () => void queries.cancelQueries().then(() => queries.invalidateQueries());
    const types = new Set(screens.flatMap((screen) => watched[screen]));
    const unfollow = live.onEvents([...types], tell, readAgain);
    return () => {
      unfollow();
      isShown.current = false;
      // Strict mode takes it off the page for a moment.
      setTimeout(() => isShown.current || live.signOut());
    };
  }, [live, screens, queries, listeners]);
  return <Context value={{ live, listeners }}>{children}</Context>;
}

/** The live lists of the session. Throws outside of it. */
export function useSessionLive(): Live {
  const { live } = useContext(Context);
  if (live === undefined) throw new Error('nobody is signed in');
  return live;
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

/**
 * Calls `listener` with each event of these types, and whenever such events may have been missed. For types that not every key of a screen
 * sees, once it is known that this one does (`isWanted`).
 */
export function useEventsOf(types: readonly EventType[], isWanted: boolean, listener: () => void): void {
  const live = useSessionLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const tell = () => latest.current();
    return isWanted ? live.onEvents(types, tell, tell) : undefined;
  }, [live, types, isWanted]);
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
  const { live } = useContext(Context);
  const texts = useTexts(frameTexts);
  const isOnline = useIsOnline();
  const [subscribe, read] = live === undefined ? nothing : [live.subscribe, live.state];
  const state = useSyncExternalStore(subscribe, read);
  const standing = !isOnline ? 'offline' : state === 'offline' || state === 'catching up' ? 'waiting' : state;
  return (
    <span className={`live ${standing}`} role="status">
      {texts[standing]}
    </span>
  );
}

const nothing: [Live['subscribe'], Live['state']] = [() => () => {}, () => 'connecting'];

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
