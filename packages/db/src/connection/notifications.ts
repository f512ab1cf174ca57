import pg from 'pg';
import { again, startLoop } from '../loops/loop.ts';
import { createHosts } from './hosts.ts';
import { sessionNamed } from './session-name.ts';

/** Hears what transactions announce with NOTIFY. */
export interface Notifications {
  /**
   * Calls the listener for every notification on the channel with its payload, and with `undefined` when the
   * connection was away: something may have been missed then.
   */
  on(channel: string, listener: (payload: string | undefined) => void): void;
  /** Whether everything announced until 0.8 s ago has been heard. After ten seconds without this question false is the first answer. */
  healthy(): boolean;
  /** Stops listening. */
  close(): Promise<void>;
}

// A dead peer sends no reset: only an answer proves that the connection lives. Real time, as for the pool.
const pingMs = 400;
/** While nobody asks whether it is healthy. */
const restingPingMs = 5_000;
const askedMs = 10_000;
const healthyMs = 800;
const abandonMs = 5_000;
const backoff = { firstMs: 50, longestMs: 2_000 };

/** Opens one connection that listens, and opens it again whenever it breaks. */
export function createNotifications(databaseUrl: string): Notifications {
  const { connectionString, ...session } = sessionNamed(databaseUrl, 'comanda-listen');
  const hosts = createHosts(connectionString);
  let url = connectionString;
  const listeners = new Map<string, ((payload: string | undefined) => void)[]>();
  let client: pg.Client | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let askedAt = performance.now();
  let rests = false;
  // Channels that the server has not yet confirmed.
  let joining = 0;
  let lost = false;
  // A round opens the connection, or asks on the open one whether it lives.
  const loop = startLoop({
    backoff,
    async round() {
      if (lost) throw new Error('the connection broke');
      if (client === undefined) await open();
      else await ping(client);
      rests = performance.now() - askedAt > askedMs;
      return again(rests ? restingPingMs : pingMs);
    },
    failed() {
      hosts.missed(url);
      drop();
      lost = false;
    },
  });

  async function open(): Promise<void> {
    url = hosts.url();
    const fresh = new pg.Client({
      connectionString: url,
      ...session,
      connectionTimeoutMillis: abandonMs,
      query_timeout: abandonMs,
      keepAlive: true,
    });
    client = fresh;
    joining = 0;
    const lose = () => {
      if (client !== fresh) return;
      drop();
      lost = true;
      loop.wake();
    };
    fresh.on('error', lose).on('end', lose);
    fresh.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
    });
    hosts.watch(fresh);
    await fresh.connect();
    hosts.check(fresh);
    const asked = performance.now();
    for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    heardAt = asked;
    for (const channel of listeners.keys()) notify(channel);
  }

  async function ping(current: pg.Client): Promise<void> {
    const asked = performance.now();
    await current.query('select 1');
    if (current === client) heardAt = asked;
  }

  /** A broken connection is not used again, and its late messages are ignored. */
  function drop(): void {
    heardAt = Number.NEGATIVE_INFINITY;
    client?.end().catch(() => {});
    client = undefined;
  }

  function notify(channel: string): void {
    for (const listener of listeners.get(channel) ?? []) listener(undefined);
  }

  return {
    on(channel, listener) {
      const known = listeners.get(channel);
      if (known !== undefined) {
        known.push(listener);
        return;
      }
      listeners.set(channel, [listener]);
      const current = client;
      if (heardAt === Number.NEGATIVE_INFINITY || current === undefined) return;
      joining += 1;
      current.query(`listen ${pg.escapeIdentifier(channel)}`).then(
        () => {
          if (current !== client) return;
          joining -= 1;
          notify(channel);
        },
        () => {},
      );
    },
    healthy() {
      askedAt = performance.now();
      if (rests) loop.wake();
      rests = false;
      return joining === 0 && askedAt - heardAt < healthyMs;
    },
    async close() {
      const ended = loop.stop();
      // No farewell: a silent server answers none, and a connect that is ended before it is through never settles.
      client?.connection.stream.destroy();
      await ended;
    },
  };
}
