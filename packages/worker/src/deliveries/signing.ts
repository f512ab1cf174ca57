import { addJob, type Clock, type Database, deliveryJobKey, jobFlag, statement } from '@comanda/db';
import type { Logger } from 'pino';
import type { EndpointRef } from './endpoint-ref.ts';

/** The signing secrets of an endpoint cannot be opened here: the key of this process is another one. */
export class UnsignableError extends Error {
  override name = 'UnsignableError';
}

/** The endpoints that this process cannot sign for, and leaves to others. */
export interface Signing {
  /** Whether the endpoint is left to others now. After a minute it is tried again: a secret may have been repaired. */
  isLeft(endpointId: string): boolean;
  /** Flags of the jobs that are left to others now. */
  passedOver(): string[];
  /** Leaves the endpoint to others: a line in the log, a mark that `comanda doctor` shows, a job that others take. */
  leave(endpoint: EndpointRef, error: UnsignableError): Promise<void>;
  /** Takes back that its secrets could not be opened. */
  opened(endpointId: string): void;
}

const againMs = 60_000;

/** Starts with none. `workerId` names the heartbeat that bears the mark. */
export function createSigning(database: Database, workerId: string, log: Logger, clock: Clock): Signing {
  /** When each may be tried again, on the worker's clock. */
  const left = new Map<string, number>();
  const isLeft = (endpointId: string) => (left.get(endpointId) ?? 0) > clock.now();
  const mark = () => database.run(markUnsignable, [workerId, [...left.keys()]]);
  return {
    isLeft,
    passedOver: () => (left.size === 0 ? [] : [...left.keys()].filter(isLeft).map(jobFlag)),
    async leave(endpoint, error) {
      const { endpointId } = endpoint;
      if (!isLeft(endpointId)) {
        left.set(endpointId, clock.now() + againMs);
        log.error({ err: error, ...endpoint }, 'deliveries cannot be signed here and are left to others');
        await mark();
      }
      await addJob(database, 'deliver-webhooks', endpoint, { jobKey: deliveryJobKey(endpointId) });
    },
    opened(endpointId) {
      if (left.delete(endpointId)) mark().catch(() => {});
    },
  };
}

const markUnsignable = statement(
  'mark_unsignable',
  'update internal.process_heartbeats set unsignable = $2::uuid[] where id = $1',
);
