import { setTimeout as sleep } from 'node:timers/promises';
import type { Neighbour } from './neighbour.ts';

/** One of two workers is frozen while its relay holds locations. */
export const frozenWorker: Neighbour = {
  id: 'frozen-worker',
  name: 'a frozen worker, one of two',
  async prepare({ database, workers }) {
    // A transaction that lies idle so long, and holds the lock of a location.
    const caught = async () => {
      await sleep(60);
      const { rows } = await database.pool.query(
        `select from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
         where a.datname = current_database() and a.application_name like 'comanda-worker%'
           and a.state = 'idle in transaction' and a.state_change < clock_timestamp() - interval '50 milliseconds'`,
      );
      return rows.length > 0;
    };
    return async () => {
      const [pid] = workers;
      if (pid === undefined) throw new Error('there is no worker to freeze');
      process.kill(pid, 'SIGSTOP');
      const thaw = async () => {
        process.kill(pid, 'SIGCONT');
      };
      try {
        for (let tries = 0; tries < 50 && !(await caught()); tries += 1) {
          await thaw();
          await sleep(37);
          process.kill(pid, 'SIGSTOP');
        }
      } catch (error) {
        await thaw();
        throw error;
      }
      return thaw;
    };
  },
};
