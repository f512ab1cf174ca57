import pg from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from '../faults.ts';
import { createWaker, pause } from '../waker.ts';

/** A standing connection that hears of committed changes. */
export interface Listener {
  stop(): Promise<void>;
}

/**
 * Calls `onChanges` whenever a process says that it committed changes, and after every new connection, since
 * one may have been missed. Connects again when the connection breaks.
 */
export function listenForChanges(url: string, onChanges: () => void, log: Logger): Listener {
  const waker = createWaker();
  let stopping = false;
  const run = async () => {
    let failures = 0;
    while (!stopping) {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'comanda-relay-listener',
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
      });
      const broken = createWaker();
      client.on('error', () => broken.wake());
      client.on('end', () => broken.wake());
      client.on('notification', onChanges);
      try {
        await client.connect();
        await client.query('listen comanda_changes');
        failures = 0;
        onChanges();
        await Promise.race([broken.wait(), waker.wait()]);
      } catch (error) {
        failures += 1;
        log.warn({ err: error }, 'cannot listen for changes; the poll goes on');
      }
      await client.end().catch(() => {});
      if (!stopping) await pause(waker, backoffMs(Math.max(failures, 1)));
    }
  };
  const running = run();
  return {
    async stop() {
      stopping = true;
      waker.wake();
      await running;
    },
  };
}
