import type { ByteBudget, Database, Waker } from '@comanda/db';
import type { Logger } from 'pino';
import type { AttemptMeter } from '../metrics/attempt-meter.ts';
import type { AttemptTools } from './attempt.ts';
import type { Health } from './health.ts';
import type { Load, Silence, Slots } from './limits.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import type { Recorder } from './recorder.ts';
import type { Signing } from './signing.ts';

/** The dependencies of deliveries. */
export interface DeliveryOptions extends AttemptTools {
  database: Database;
  log: Logger;
  /** The holder of the claims: the id of this process's heartbeat. */
  workerId: string;
  /** Resolves once that heartbeat beats: what is claimed before could be taken for a dead worker's at once. */
  alive(): Promise<void>;
  /** Whether it beats now. */
  isHeard(): boolean;
  /** How long a consumer may take; a claim is held a little longer. */
  timeoutMs: number;
  retryDelaysSeconds: readonly number[];
  /** Shared by all endpoints of this process. */
  load: Load;
  /** The bytes of the claimed bodies, by endpoint. */
  bytes: ByteBudget;
  slots: Slots;
  silence: Silence;
  health: Pick<Health, 'note'>;
  /** Called with every attempt that was made. */
  meter: Pick<AttemptMeter, 'observe'>;
  signing: Signing;
  recorder: Recorder;
}

/** The state of one endpoint's loop. */
export interface EndpointLoop {
  waker: Waker;
  /** First attempts that were claimed for it, and are not under way yet. */
  handed: ReadyDelivery[];
  /** It was asked for again since it last looked. */
  again: boolean;
  stopping: boolean;
}
