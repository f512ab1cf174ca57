import pg from 'pg';
import { type Again, again, startLoop } from '../loops/loop.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { limitPlanLifetime } from './plan-lifetime.ts';
import { means, stateOf } from './sql-states.ts';

/** The database gives no sign of life: nothing is sent until it answers again. Its code is SQLSTATE class 08. */
export class DatabaseSilentError extends Error {
  override name = 'DatabaseSilentError';
  readonly code = stateOf('connectionFailed');
  constructor() {
    super('the database does not answer');
  }
}

/** When a pool begins to doubt, and how it makes sure; in milliseconds. */
export interface Doubt {
  /** A connection that waits this long for an answer makes the pool ask. */
  suspicionMs: number;
  /** A new connection has this long to be answered in any way. */
  askMs: number;
  /**
   * A connection silent for this long is lost, though the database answers others: longer than the server's own
   * limits.
   */
  abandonMs: number;
}

const diskFull = new WeakMap<pg.Pool, number>();

/** When a statement of the pool last failed because a disk of the server is full, by `performance.now()`. */
export const diskFullAt = (pool: pg.Pool): number => diskFull.get(pool) ?? Number.NEGATIVE_INFINITY;

// How often it looks, and how long an answer counts for connections that still wait. Real time, for it judges sockets.
const lookMs = 500;
const trustMs = 5_000;

/**
 * Opens a pool that finds out when packets vanish without a refusal, which TCP reports after a quarter of an hour.
 * While a connection waits for its answer, another one is opened: when that gets no answer either, every connection
 * is broken and every caller is refused at once with `DatabaseSilentError`, until the database answers. Of several
 * servers in the URL, the first that will do is connected to; one that is silent is left for the next. No connection
 * keeps a plan for long. One that refused a write, as a standby does, is closed when it is given back: the next may
 * lead to the new primary. `onOpened` is done with each connection before any other work.
 */
export function openPool(
  config: pg.PoolConfig,
  doubt: Doubt,
  onOpened?: (client: pg.ClientBase) => Promise<unknown>,
): pg.Pool {
  const clients = new Map<pg.Client, Waiting>();
  const readOnly = new WeakSet<pg.Client>();
  const withYoungPlans = limitPlanLifetime();
  const hosts = createHosts(config.connectionString ?? '');
  let heardAt = Number.NEGATIVE_INFINITY;
  let trustedUntil = Number.NEGATIVE_INFINITY;
  let asking = false;
  let silent = false;
  let looking = false;

  class WatchedClient extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      const url = hosts.url();
      super({ ...options, connectionString: url });
      hosts.watch(this);
      // Before it has connected, all that goes wrong speaks against the server.
      let connected = false;
      const missed = () => {
        if (!connected) hosts.missed(url);
      };
      this.once('connect', () => {
        connected = true;
      });
      this.connection.once('error', missed).once('errorMessage', missed).once('end', missed);
      const waiting: Waiting = { since: performance.now(), heardAt: performance.now() };
      clients.set(this, waiting);
      lookOn();
      const heard = () => {
        waiting.since = undefined;
        waiting.heardAt = performance.now();
        heardAt = waiting.heardAt;
      };
      this.on('connect', heard).on('drain', heard);
      this.on('end', () => clients.delete(this));
      this.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (means(code, 'readOnly')) readOnly.add(this);
        if (means(code, 'diskFull')) diskFull.set(pool, performance.now());
      });
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      this.query = ((...args: unknown[]) => {
        waiting.since ??= performance.now();
        lookOn();
        return query(...args);
      }) as typeof this.query;
    }
  }

  class WatchedPool extends pg.Pool {
    override connect(): Promise<pg.PoolClient>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
      if (!silent) {
        const ready = onFirstThatWill(hosts, () => super.connect()).then(withYoungPlans);
        if (callback === undefined) return ready;
        ready.then(
          (client) => callback(undefined, client, (release) => client.release(release)),
          (error: Error) => callback(error, undefined, () => {}),
        );
        return undefined;
      }
      const error = new DatabaseSilentError();
      if (callback === undefined) return Promise.reject(error);
      process.nextTick(callback, error, undefined, () => {});
      return undefined;
    }
  }

  const onConnect = (client: pg.ClientBase) => {
    hosts.check(client);
    return onOpened?.(client);
  };
  const pool = new WatchedPool({ ...config, Client: WatchedClient, onConnect } as pg.PoolConfig);
  pool.on('release', (_, client) => {
    if (readOnly.has(client)) void client.end();
  });
  return pool;

  /** Looks while a connection waits: a pool at rest has no timer. */
  function lookOn(): void {
    if (looking) return;
    looking = true;
    startLoop({ ref: false, firstRestMs: lookMs, round: look });
  }

  function look(): Again | undefined {
    const now = performance.now();
    const rests = !asking && !silent && [...clients.values()].every(({ since }) => since === undefined);
    if (pool.ending || rests) {
      looking = false;
      return undefined;
    }
    const waits = [...clients].filter(([, { since = now }]) => now - since > doubt.suspicionMs);
    const [lost] = waits.map(([, { since = now }]) => since).filter((since) => now - since > doubt.abandonMs);
    // A connection that has been idle for as long as that one is as likely to be dead.
    if (lost !== undefined)
      for (const [client, waiting] of clients)
        if ((waiting.since ?? waiting.heardAt) <= lost) breakOff(client);
    if (!asking && (silent || (waits.length > 0 && now > trustedUntil))) void ask();
    return again(lookMs);
  }

  async function ask(): Promise<void> {
    asking = true;
    const began = performance.now();
    const url = hosts.url();
    const answered = await answers({ ...config, connectionString: url }, doubt.askMs);
    // The event loop may have been held up: what has arrived meanwhile is read before anything is concluded.
    await new Promise((resolve) => setTimeout(resolve, 10));
    asking = false;
    if (answered || heardAt > began) {
      silent = false;
      trustedUntil = performance.now() + trustMs;
      return;
    }
    hosts.missed(url);
    if (pool.ending || (!silent && clients.size === 0)) return;
    silent = true;
    for (const client of clients.keys()) breakOff(client);
  }
}

/** A connection: since when it waits for an answer, undefined while it does not, and when it last had one. */
interface Waiting {
  since: number | undefined;
  heardAt: number;
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/** Tries again for as long as there are servers that were not tried. */
async function onFirstThatWill<Result>(hosts: Hosts, open: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    const url = hosts.url();
    try {
      return await open();
    } catch (error) {
      if (tried >= hosts.count || hosts.url() === url) throw error;
    }
  }
}

/** Every query under way on it fails at once, and the pool lets go of it. */
function breakOff(client: pg.Client): void {
  client.connection.stream.destroy(new DatabaseSilentError());
}

/** Whether anybody answers at the database's address, be it to refuse. */
async function answers(config: pg.PoolConfig, askMs: number): Promise<boolean> {
  const { connectionString, application_name } = config;
  const client = new pg.Client({
    connectionString,
    application_name,
    connectionTimeoutMillis: askMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return /^[0-9A-Z]{5}$/.test(code);
  } finally {
    client.end().catch(() => {});
  }
}
