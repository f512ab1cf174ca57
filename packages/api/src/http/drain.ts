import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Closes a server without losing a request. */
export interface Drain {
  /** Whether it has begun: answers then say `Connection: close`. */
  begun(): boolean;
  /** To be told of every answer that begins. */
  watch(response: ServerResponse): void;
  /**
   * Accepts no more connections, and answers what comes on those that are open, each for the last time. A connection
   * that rests is closed after `restMs`, whatever is left after `graceMs`. Resolves once none is open.
   */
  run(graceMs: number, restMs?: number): Promise<void>;
}

/** Prepares it for a server. */
export function createDrain(server: Server): Drain {
  const answers = new Set<ServerResponse>();
  let begun = false;

  async function run(graceMs: number, restMs = Math.min(1_000, graceMs / 20)): Promise<void> {
    // What the kernel has accepted for us is taken over first: closing would reset it. Nobody is told before nobody
    // listens any more: whoever is told to close comes again on a new connection.
    await new Promise(setImmediate);
    begun = true;
    for (const response of answers) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => {
      // Not HTTP's own close: that cuts every resting connection, on which a request may be on its way.
      NetServer.prototype.close.call(server, () => resolve());
    });
    const rest = setTimeout(closeResting, restMs);
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    let again: NodeJS.Timeout | undefined;
    function closeResting(): void {
      server.closeIdleConnections();
      again = setTimeout(closeResting, 100);
    }
    await closed;
    for (const timer of [rest, grace, again]) clearTimeout(timer);
    // Ends HTTP's own timers; that nothing listens any more is no error here.
    server.close(() => {});
  }

  return {
    begun: () => begun,
    watch(response) {
      if (begun) response.setHeader('Connection', 'close');
      answers.add(response);
      response.once('close', () => answers.delete(response));
    },
    run,
  };
}
