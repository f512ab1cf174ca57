import type { Database } from '@comanda/db';
import { statement } from '@comanda/db';

/** How long wake-ups are gathered into one, in milliseconds. */
const gatherMs = 5;

/** How far apart two notifications are at least, in milliseconds: each is a transaction that costs a third of an order. */
const pauseMs = 25;

/**
 * Makes the function that notifies the relay of committed changes. Calls within a few milliseconds become one
 * NOTIFY, on a connection of the pool and outside every transaction; without end they become one every `pauseMs`. A
 * lost one costs at most the relay's poll, a second, or 5 s after a quiet while. Writes of other programs notify by a trigger (captured.sql).
 */
export function relayWaker(database: Database): () => void {
  let planned = false;
  let sentAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (planned) return;
    planned = true;
    const rest = sentAt + pauseMs - performance.now();
    setTimeout(
      () => {
        planned = false;
        sentAt = performance.now();
        database.run(notify, []).catch(() => {});
      },
      Math.max(gatherMs, rest),
    );
  };
}

const notify = statement('wake_relay', 'notify comanda_changes');
