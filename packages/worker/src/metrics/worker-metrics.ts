import {
  createReadiness,
  family,
  processFamilies,
  publishingFields,
  render,
  single,
} from '@comanda/api/services';
import type { Database } from '@comanda/db';
import type { AttemptMeter } from './attempt-meter.ts';
import type { WorkerMetrics } from './server.ts';

/** The parts from which the metrics and the readiness of a worker are made. */
export interface WorkerParts {
  /** Of the relay and the recording: while it answers, the worker gets on. */
  database: Database;
  /** Of attempts and jobs: what they were refused counts, too. */
  others: readonly Database[];
  /** Whether its own heartbeat arrives; undefined before it began to beat, while the start waits for the database. */
  isHeard(): boolean | undefined;
  meter: AttemptMeter;
  load: { readonly inFlight: number };
  draining(): boolean;
}

/**
 * A worker is ready while the database lets it write, its own heartbeat arrives, changes are published, and it has not been asked
 * to stop. Others that beat do not make it ready.
 */
export function workerMetrics({
  database,
  others,
  isHeard,
  meter,
  load,
  draining,
}: WorkerParts): WorkerMetrics {
  const look = createReadiness({ health: database, pools: [database, ...others] });
  return {
    async readiness() {
      if (draining()) return { status: 'draining' };
      const found = await look();
      const heard = isHeard();
      const heartbeat = heard === undefined ? 'starting' : heard ? 'ok' : 'silent';
      const state = { database: found.database, heartbeat, ...publishingFields(found.publishing) };
      if (found.database !== 'ok') return { status: `database ${found.database}`, ...state };
      if (heard !== true) return { status: heard === undefined ? 'starting' : 'heartbeat silent', ...state };
      return { status: found.publishing?.state === 'stalled' ? 'publishing stalled' : 'ok', ...state };
    },
    async metrics() {
      const inFlight = family('comanda_delivery_attempts_in_flight', single(load.inFlight));
      return render([[...(await processFamilies(database)), inFlight, ...meter.families()]]);
    },
  };
}
