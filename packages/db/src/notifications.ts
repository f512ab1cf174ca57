import pg from 'pg';

/** Hears what transactions announce with NOTIFY. */
export interface Notifications {
  /**
   * Calls the listener for every notification on the channel with its payload, and with `undefined` when the
   * connection was away: something may have been missed then.
   */
  on(channel: string, listener: (payload: string | undefined) => void): void;
  /** Whether everything announced until 0.8 s ago has been heard. */
  healthy(): boolean;
  /** Stops listening. */
  close(): Promise<void>;
}

// A dead peer sends no reset: only an answer proves that the connection lives.
const pingMs = 250;
const healthyMs = 800;
const abandonMs = 5_000;
const retryMs = { first: 50, most: 2_000 };

/** Opens one connection that listens, and opens it again whenever it breaks. */
export function createNotifications(databaseUrl: string): Notifications {
  const listeners = new Map<string, ((payload: string | undefined) => void)[]>();
  let client: pg.Client | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  // Channels that the server has not yet agreed to tell of.
  let joining = 0;
  let closed = false;
  let retryIn = retryMs.first;
  let timer: NodeJS.Timeout | undefined;
  connect();

  function connect(): void {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'comanda-listen',
      connectionTimeoutMillis: abandonMs,
      keepAlive: true,
    });
    client = fresh;
    joining = 0;
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      heardAt = Number.NEGATIVE_INFINITY;
      clearTimeout(timer);
      fresh.end().catch(() => {});
      if (closed) return;
      timer = setTimeout(connect, retryIn);
      retryIn = Math.min(retryIn * 2, retryMs.most);
    };
    fresh.on('error', lose);
    fresh.on('end', lose);
    fresh.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
    });
    open(fresh).then(() => {
      retryIn = retryMs.first;
      void ping(fresh, lose);
    }, lose);
  }

  async function open(fresh: pg.Client): Promise<void> {
    await fresh.connect();
    const asked = performance.now();
    for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    heardAt = asked;
    for (const channel of listeners.keys()) tell(channel);
  }

  async function ping(fresh: pg.Client, lose: () => void): Promise<void> {
    const abandon = setTimeout(lose, abandonMs);
    const asked = performance.now();
    try {
      await fresh.query('select 1');
      if (fresh !== client || closed) return;
      heardAt = asked;
      timer = setTimeout(() => void ping(fresh, lose), pingMs);
    } catch {
      lose();
    } finally {
      clearTimeout(abandon);
    }
  }

  function tell(channel: string): void {
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
          tell(channel);
        },
        () => {},
      );
    },
    healthy: () => joining === 0 && performance.now() - heardAt < healthyMs,
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
