import type pg from 'pg';
import { means } from './sql-states.ts';

/** For how long a pool makes do with the connections it has once the server has refused another. */
const makeDoMs = 1_000;

/**
 * Lets a pool go on when the server has no connections left: who was refused a new one waits for one of those that the
 * pool holds, as if it were full. A pool that holds none passes the refusal on at once.
 */
export function withstandExhaustion(pool: pg.Pool): void {
  const most = pool.options.max;
  const open = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  let timer: NodeJS.Timeout | undefined;

  const makeDo = () => {
    pool.options.max = Math.min(most, pool.totalCount);
    clearTimeout(timer);
    timer = setTimeout(() => {
      pool.options.max = most;
    }, makeDoMs);
    timer.unref();
  };
  const connect = async (): Promise<pg.PoolClient> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await open();
      } catch (error) {
        // Connections may be lost while we wait: then there is nothing to make do with.
        if (!isExhausted(error) || pool.totalCount === 0 || attempt > most) throw error;
        makeDo();
      }
    }
  };
  const withCallback = (callback?: Connected): Promise<pg.PoolClient> | undefined => {
    if (callback === undefined) return connect();
    connect().then(
      (client) => callback(undefined, client, (release) => client.release(release)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  };
  pool.connect = withCallback as typeof pool.connect;
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

// Reserved for superusers is the same; that the server is starting is not.
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && means(String(error.code), 'noConnectionLeft');
