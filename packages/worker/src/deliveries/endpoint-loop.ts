import type { Database } from '@comanda/db';
import type { Logger } from 'pino';
import type { Waker } from '../waker.ts';
import type { AttemptTools } from './attempt.ts';
import type { Load } from './width.ts';

/** An endpoint, by its ids. */
export interface EndpointRef {
  locationId: string;
  endpointId: string;
}

/** What deliveries are made with. */
export interface DeliveryOptions extends AttemptTools {
  database: Database;
  log: Logger;
  /** Who holds the claims: the id of this process's heartbeat. */
  workerId: string;
  /** How long a consumer may take; a claim is held a little longer. */
  timeoutMs: number;
  retryDelaysSeconds: readonly number[];
  /** Shared by all endpoints of this process. */
  load: Load;
}

/** The state of one endpoint's loop. */
export interface EndpointLoop {
  waker: Waker;
  /** Somebody asked for it since it last looked. */
  again: boolean;
  stopping: boolean;
}
