import type { buildConnector } from 'undici';

/** Counts the connections that are opened to each origin. */
export interface OpenedConnections {
  /** The same connector, counted. */
  counted(connect: buildConnector.connector): buildConnector.connector;
  /** How many were opened to an origin. It may begin again at 0. */
  of(origin: string): number;
}

/** An attempt during which the count stays the same has used a connection that was there before. */
export function createOpenedConnections(): OpenedConnections {
  const counts = new Map<string, number>();
  return {
    counted: (connect) => (target, callback) => {
      const origin = `${target.protocol}//${target.host ?? target.hostname}`;
      if (counts.size >= mostCounted) counts.clear();
      counts.set(origin, (counts.get(origin) ?? 0) + 1);
      connect(target, callback);
    },
    of: (origin) => counts.get(origin) ?? 0,
  };
}

const mostCounted = 10_000;

/**
 * Chooses the origins whose connections are kept: the first `most`. An origin makes room for another when it was not asked for in `idleMs`.
 * Returns whether an origin is one of them, at a moment in milliseconds.
 */
export function createKeptOrigins(most: number, idleMs: number): (origin: string, now: number) => boolean {
  // In the order of their last use.
  const usedAt = new Map<string, number>();
  return (origin, now) => {
    if (!usedAt.delete(origin) && usedAt.size >= most) {
      const [oldest] = usedAt;
      if (oldest === undefined || now - oldest[1] < idleMs) return false;
      usedAt.delete(oldest[0]);
    }
    usedAt.set(origin, now);
    return true;
  };
}
