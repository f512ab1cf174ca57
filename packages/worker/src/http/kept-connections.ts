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

/** An origin whose connections are kept. */
export interface KeptOrigin {
  /** When it was last used, and when its name was last found allowed, in milliseconds. */
  usedAt: number;
  checkedAt: number;
}

/**
 * Chooses the origins whose connections are kept: the first `most`. An origin makes room for another when it was not asked for in `idleMs`.
 * Returns what is known of an origin that is asked for at a moment in milliseconds; undefined when it is none of them.
 */
export function createKeptOrigins(
  most: number,
  idleMs: number,
): (origin: string, now: number) => KeptOrigin | undefined {
  // In the order of their last use.
  const origins = new Map<string, KeptOrigin>();
  return (origin, now) => {
    const known = origins.get(origin);
    origins.delete(origin);
    if (known === undefined && origins.size >= most) {
      const [oldest] = origins;
      if (oldest === undefined || now - oldest[1].usedAt < idleMs) return undefined;
      origins.delete(oldest[0]);
    }
    // Of an origin that comes, the connection is opened now, and the name resolved with it.
    const kept = known ?? { usedAt: now, checkedAt: now };
    kept.usedAt = now;
    origins.set(origin, kept);
    return kept;
  };
}
