import type { Server } from 'node:http';
import type { Logger } from 'pino';

/**
 * Bounds the open connections of a server. From half of `most` on, connections that rest between two requests are
 * closed in favor of new ones: an idle client keeps no other out. A connection beyond `most` is closed unread, and
 * the log says so at most once in ten seconds.
 */
export function boundConnections(server: Server, most: number, log: Logger): void {
  let open = 0;
  let clearedAt = Number.NEGATIVE_INFINITY;
  let saidAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = most;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    const now = performance.now();
    if (open <= most / 2 || now - clearedAt < 1_000) return;
    clearedAt = now;
    server.closeIdleConnections();
  });
  server.on('drop', () => {
    const now = performance.now();
    if (now - saidAt < 10_000) return;
    saidAt = now;
    log.warn({ open, most }, 'connections are refused: too many are open');
  });
}
