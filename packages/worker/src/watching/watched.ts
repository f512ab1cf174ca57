import { createReadiness, gauge, processFamilies, render, single } from '@comanda/api/services';
import type { Database } from '@comanda/db';
import type { AttemptMeter } from './attempt-meter.ts';
import type { Watched } from './server.ts';

/** What is watched of a worker. */
export interface WorkerParts {
  /** Of the relay and the recording: while it answers, the worker gets on. */
  database: Database;
  meter: AttemptMeter;
  load: { readonly inFlight: number };
  draining(): boolean;
}

/** A worker is ready while the database lets it write and nobody has asked it to stop. */
export function watchWorker({ database, meter, load, draining }: WorkerParts): Watched {
  const look = createReadiness(database);
  return {
    async readiness() {
      if (draining()) return { status: 'draining' };
      const found = await look();
      return {
        status: found.database === 'ok' ? 'ok' : `database ${found.database}`,
        database: found.database,
      };
    },
    async metrics() {
      const inFlight = gauge(
        'comanda_delivery_attempts_in_flight',
        'Delivery attempts that this worker waits for.',
        single(load.inFlight),
      );
      return render([[...(await processFamilies(database)), inFlight, ...meter.families()]]);
    },
  };
}
