import type { Database } from '@comanda/db';
import { statement } from '@comanda/db';

/** How long wake-ups are gathered into one, in milliseconds. */
const gatherMs = 5;

/**
 * Makes the function that tells the relay of committed changes. Calls within a few milliseconds become one
 * NOTIFY, on a connection of the pool and outside every transaction. A lost one costs at most the relay's poll.
 */
export function relayWaker(database: Database): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      database.run(notify, []).catch(() => {});
    }, gatherMs);
  };
}

const notify = statement('wake_relay', 'notify comanda_changes');
