import type { Clock, Database, JobName, JobPayload } from '@comanda/db';
import type { Logger } from 'pino';
import type { Certifications } from '../certification/certifications.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';

/** The tools of every task. */
export interface TaskContext {
  clock: Clock;
  database: Database;
  deliveries: Deliveries;
  certifications: Certifications;
  log: Logger;
  /** Aborts when the worker has to stop and cannot wait any longer. */
  signal: AbortSignal;
  /** The id of the job in the queue. */
  queueJob: string;
}

/** Runs one job. An error that it throws is an internal fault: the job runs again later. */
export type Task<Name extends JobName> = (payload: JobPayload<Name>, context: TaskContext) => Promise<void>;
