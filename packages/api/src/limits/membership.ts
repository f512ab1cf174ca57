import { type Heartbeat, type Notifications, type Queryable, startHeartbeat } from '@comanda/db';
import { forgetDeadProcesses } from './statements.ts';

/** The API processes that share the limits. */
export interface Membership {
  /** Registers this process, once, and returns its id. Throws what the database throws; then try again. */
  register(): Promise<string>;
  /** Rises whenever another process may have come: what was read of the counters before is no longer certain. */
  arrivals(): number;
  close(): Promise<void>;
}

/** Keeps this process on the list of API processes and hears of others that come. */
export function joinMembers(database: Queryable, notifications?: Notifications): Membership {
  let registration: Promise<Heartbeat> | undefined;
  let id: string | undefined;
  let arrivals = 0;

  const register = async (): Promise<Heartbeat> => {
    const heartbeat = await startHeartbeat(database, 'api');
    id = heartbeat.id;
    await database.run(forgetDeadProcesses, []).catch(() => {});
    return heartbeat;
  };
  const start = () => {
    registration ??= register().catch((error: unknown) => {
      registration = undefined;
      throw error;
    });
    return registration;
  };

  // Without a payload something may have been missed.
  notifications?.on('comanda_processes', (payload) => {
    if (payload !== id) arrivals += 1;
  });
  start().catch(() => {});

  return {
    register: async () => id ?? (await start()).id,
    arrivals: () => arrivals,
    async close() {
      const heartbeat = await registration?.catch(() => undefined);
      await heartbeat?.stop();
    },
  };
}
