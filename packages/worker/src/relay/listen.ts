import { type Clock, type Database, type Loop, startLoop } from '@comanda/db';
import type { Logger } from 'pino';

/**
 * Keeps one connection of the pool and calls `onChanges` whenever a process says that it committed changes,
 * and after every new connection, since something may have been missed. Connects again when it breaks.
 */
export function listenForChanges(
  database: Database,
  onChanges: () => void,
  { log, clock }: { log: Logger; clock: Clock },
): Loop {
  return startLoop({
    clock,
    async round(signal) {
      const client = await database.pool.connect();
      const over = new Promise<void>((resolve) => {
        client.on('error', () => resolve()).once('end', resolve);
        signal.onabort = () => resolve();
      });
      client.on('notification', onChanges);
      try {
        await client.query('listen comanda_changes');
        onChanges();
        if (!signal.aborted) await over;
      } finally {
        client.release(true);
      }
      if (!signal.aborted) throw new Error('the connection that listens ended');
      return undefined;
    },
    failed: (error) => log.warn({ err: error }, 'cannot listen for changes; the poll goes on'),
  });
}
