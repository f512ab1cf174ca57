import type { Database } from '@comanda/db';
import type { Logger } from 'pino';
import { backoffMs } from '../backoff.ts';
import { type Loop, startLoop } from '../loop.ts';
import { createWaker } from '../waker.ts';

/**
 * Keeps one connection of the pool and calls `onChanges` whenever a process says that it committed changes,
 * and after every new connection, since something may have been missed. Connects again when it breaks.
 */
export function listenForChanges(database: Database, onChanges: () => void, log: Logger): Loop {
  const waker = createWaker();
  const listen = async () => {
    const client = await database.pool.connect();
    const wake = () => waker.wake();
    client.on('notification', onChanges).once('error', wake).once('end', wake);
    try {
      await client.query('listen comanda_changes');
      onChanges();
      await waker.wait();
    } finally {
      client.release(true);
    }
  };
  let failures = 0;
  return startLoop(waker, async () => {
    const since = performance.now();
    try {
      await listen();
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for changes; the poll goes on');
    }
    failures = performance.now() - since > 10_000 ? 1 : failures + 1;
    return backoffMs(failures);
  });
}
