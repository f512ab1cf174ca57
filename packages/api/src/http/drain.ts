import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { again, startLoop } from '@comanda/db';

/** Closes a server without losing a request. */
export interface Drain {
  /** Whether it has begun: answers then say `Connection: close`. */
  begun(): boolean;
  /** Called with every answer that begins. */
  track(response: ServerResponse): void;
  /**
   * Accepts no more connections, and answers requests on those that are open, each for the last time. A connection
   * that rests is closed after `restMs`, any that is left after `graceMs`. Resolves once none is open.
   */
  run(graceMs: number, restMs?: number): Promise<void>;
}

/** Prepares it for a server; `onBegin` ends requests that would not end by themselves, once the listener is closed. */
export function createDrain(server: Server, onBegin: () => void = () => {}): Drain {
  const answers = new Set<ServerResponse>();
  let begun = false;

  async function run(graceMs: number, restMs = Math.min(1_000, graceMs / 20)): Promise<void> {
    // Connections that the kernel has accepted for us are taken over first: closing would reset them. No client is
    // asked to close before the listener is closed: such a client comes again on a new connection.
    await new Promise(setImmediate);
    begun = true;
    for (const response of answers) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => {
      // Not HTTP's own close: that cuts every resting connection, on which a request may be on its way.
      NetServer.prototype.close.call(server, () => resolve());
    });
    onBegin();
    const closing = startLoop({
      firstRestMs: restMs,
      async round() {
        // Timers come before what has arrived: a request that a busy process has not read yet is read first.
        await new Promise(setImmediate);
        server.closeIdleConnections();
        return again(100);
      },
    });
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(grace);
    await closing.stop();
    // Ends HTTP's own timers; that nothing listens any more is no error here.
    server.close(() => {});
  }

  return {
    begun: () => begun,
    track(response) {
      if (begun) response.setHeader('Connection', 'close');
      answers.add(response);
      response.once('close', () => answers.delete(response));
    },
    run,
  };
}
