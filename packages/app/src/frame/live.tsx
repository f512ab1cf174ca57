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
    'order.created',
    'order.updated',
    'stock.updated',
    'product.deleted',
    'turn.open',
    'turn.updated',
    'turn.closed',
  ] as EventType[],
  desk: ['order.updated'],
};

const Context = createContext<Live | undefined>(undefined);

/**
 * The live lists of a session and their stream of events, which the tabs of a browser share. Data that screens have
 * read is read again whenever events may have been missed. A sign-out discards unsent changes.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { comanda, session } = useComanda();
  const { screens } = session;
  const queries = useQueryClient();
  const [live] = useState(() =>
    liveOf(comanda, {
      scope: `${session.location.id} ${session.name}`,
      onError(error) {
        // The queries report a key that has ended to the frame.
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
    // A first reading that is under way may be from before the stream: it would be joined, so it is ended.
    const readAgain = () => void queries.cancelQueries().then(() => queries.invalidateQueries());
    const types = new Set(screens.flatMap((screen) => watched[screen]));
    const unfollow = live.onEvents([...types], () => {}, readAgain);
    return () => {
      unfollow();
      isShown.current = false;
      // Strict mode takes it off the page for a moment.
      setTimeout(() => isShown.current || live.signOut());
    };
  }, [live, screens, queries]);
  return <Context value={live}>{children}</Context>;
}

/** The live lists of the session. Throws outside of it. */
export function useSessionLive(): Live {
  const live = useContext(Context);
  if (live === undefined) throw new Error('no session is signed in');
  return live;
}

/** Which events a query is read again after, and how often. */
interface Followed {
  types: readonly EventType[];
  /** Readings begin at least so many milliseconds apart. */
  everyMs: number;
  /** Whether an event changes what is read; of every event unless given. */
  concerns?(event: PublishedEvent): boolean;
  /** Of types that not every key of the screen sees: whether this one does, once that is known. */
  isSeen?: boolean;
}

/** Reads queries again after events, by the stream of the live lists. A reading that is under way may be from before: it is ended. */
export function useFollowed(queryKey: readonly string[], { types, isSeen, ...followed }: Followed): void {
  const live = useSessionLive();
  const queries = useQueryClient();
  const latest = useRef({ queryKey, ...followed });
  useEffect(() => {
    latest.current = { queryKey, ...followed };
  });
  useEffect(() => {
    if (isSeen === false) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let began = Number.NEGATIVE_INFINITY;
    const read = () => {
      timer = undefined;
      began = performance.now();
      const { queryKey } = latest.current;
      void queries.cancelQueries({ queryKey }).then(() => queries.invalidateQueries({ queryKey }));
    };
    const again = () => {
      timer ??= setTimeout(read, Math.max(0, began + latest.current.everyMs - performance.now()));
    };
    const onEvent = (event: PublishedEvent) => {
      if (latest.current.concerns?.(event) ?? true) again();
    };
    // The queries that the whole session follows are read again by the session after a loss.
    const unfollow = live.onEvents(types, onEvent, isSeen && again);
    return () => {
      unfollow();
      clearTimeout(timer);
    };
  }, [live, queries, types, isSeen]);
}

/** Says whether the screen is live; over the whole width when there is no connection. */
export function LiveSign() {
  const live = useContext(Context);
  const texts = useTexts(frameTexts);
  const isOnline = useIsOnline();
  const [subscribe, read] = live === undefined ? nothing : [live.subscribe, live.state];
  const state = useSyncExternalStore(subscribe, read);
  const health = !isOnline ? 'offline' : state === 'offline' || state === 'catching up' ? 'waiting' : state;
  return (
    <span className={`live ${health}`} role="status">
      {texts[health]}
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
