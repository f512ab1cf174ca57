import type { Database } from '@comanda/db';
import { exactCpuMs, threadCpuMs } from '../cpu.ts';
import type { BenchProcess } from '../processes.ts';

/** CPU in ms by its user: Node processes, and PostgreSQL for the connections of each of them. */
export interface Spent {
  api: number;
  worker: number;
  apiPostgres: number;
  workerPostgres: number;
}

/** Of whom CPU is read. */
interface Of {
  database: Database;
  api: BenchProcess;
  worker: BenchProcess;
}

/** CPU up to now, of two Node processes and of the connections to their database, by process id. */
export interface Reading {
  api: number;
  worker: number;
  backends: ReadonlyMap<number, { ofWorker: boolean; ms: number }>;
  postgres(): Pick<Spent, 'apiPostgres' | 'workerPostgres'>;
}

/**
 * Reads it from the scheduler's counters, which hold on a busy machine, too. Connections to other databases of the server, its
 * autovacuum and its checkpoints are not counted.
 */
export async function cpuOf({ database, api, worker }: Of): Promise<Reading> {
  const { rows } = await database.pool.query<{ pid: number; ofWorker: boolean }>(
    `select pid, not starts_with(application_name, 'comanda-api') and not starts_with(application_name, 'comanda-health') as "ofWorker"
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and application_name <> 'comanda-bench'`,
  );
  const backends = new Map(
    rows.map(({ pid, ofWorker }) => [pid, { ofWorker, ms: threadCpuMs(pid) }] as const),
  );
  const sum = (ofWorker: boolean) =>
    [...backends.values()].reduce((all, one) => all + (one.ofWorker === ofWorker ? one.ms : 0), 0);
  return {
    ...{ api: exactCpuMs(api.pid), worker: exactCpuMs(worker.pid), backends },
    postgres: () => ({ apiPostgres: sum(false), workerPostgres: sum(true) }),
  };
}

/** The use between two readings: all of a connection that opened meanwhile, nothing of one that ended. */
export function between(before: Reading, after: Reading): Spent {
  const spent = {
    ...{ api: after.api - before.api, worker: after.worker - before.worker },
    ...{ apiPostgres: 0, workerPostgres: 0 },
  };
  for (const [pid, { ofWorker, ms }] of after.backends)
    spent[ofWorker ? 'workerPostgres' : 'apiPostgres'] += ms - (before.backends.get(pid)?.ms ?? 0);
  return spent;
}

/** The same for each figure. */
export const eachOf = (work: (name: keyof Spent) => number): Spent => ({
  ...{ api: work('api'), worker: work('worker') },
  ...{ apiPostgres: work('apiPostgres'), workerPostgres: work('workerPostgres') },
});
