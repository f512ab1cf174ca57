import { createClient } from '@comanda/client';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useIsOnline } from '../frame/live.tsx';
import { HeldMoves } from './held-moves.ts';
import { laidOver, statusIn } from './laid-over.ts';
import type { BoardOrders, Move } from './orders.ts';

/**
 * The board with the moves that are held laid over it, and what presses do. Moves are sent by `send` after five seconds,
 * or at once when the screen is left or hidden; a page that is closed sends them with its last breath.
 */
export function useHeldMoves(known: BoardOrders | undefined, send: (move: Move) => void) {
  const { session } = useComanda();
  const isOnline = useIsOnline();
  const [moves] = useState(() => new HeldMoves(send));
  useEffect(() => moves.sendBy(send), [moves, send]);
  const held = useSyncExternalStore(moves.subscribe, moves.current);

  useEffect(() => {
    if (known === undefined) return;
    for (const [id, { order, to }] of moves.current().unsent) {
      const status = statusIn(known, id);
      // Another person did the same: nothing is left to do. Anything else is the service's to answer, and
      // soon.
      if (status === to) moves.drop(id);
      else if (status !== order.status) moves.sendNow(id);
    }
  }, [known, moves]);

  useEffect(() => {
    const last = createClient({
      url: location.origin,
      key: session.key,
      retries: 0,
      fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
    });
    const onHidden = () => {
      if (document.visibilityState === 'hidden') moves.sendAll();
    };
    // A request from now on outlives the page, whose answer is not read.
    const onGone = () => {
      for (const { order, to } of moves.takeAll())
        last.orders.updateStatus.mutate({ id: order.id, status: to }).catch(() => {});
    };
    document.addEventListener('visibilitychange', onHidden);
    addEventListener('pagehide', onGone);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      removeEventListener('pagehide', onGone);
      moves.sendAll();
    };
  }, [moves, session]);

  // Without a connection the last requests are lost.
  const isAtStake = held.unsent.size > 0 && !isOnline;
  useEffect(() => {
    if (!isAtStake) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAtStake]);

  const board = useMemo(() => known && laidOver(known, held), [known, held]);
  return { board, held, moves };
}
