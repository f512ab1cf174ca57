import {
  type Database,
  isState,
  means,
  openDatabase,
  type SqlState,
  sqlState,
  workLimits,
} from '@comanda/db';
import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import { createFreshness, type Reason, reasons, SentBackError } from './freshness.ts';
import { type Reads, readsFrom, readsOver } from './reads.ts';

/** A standby that answers reads beside the primary. */
export interface Replica {
  readonly reads: Reads;
  /** How many reads each has answered. */
  readonly counts: Readonly<ReadCounts>;
  /** A connection to it that no read holds. */
  readonly health: Database;
  close(): Promise<void>;
}

/** Reads by who answered: the replica, or the primary and why. */
export type ReadCounts = { replica: number } & Record<Reason, number>;

/** Its dependencies. */
export interface ReplicaOptions {
  primary: Database;
  url: string;
  /** Statements get no names; see `DatabaseOptions`. */
  unnamed: boolean;
  log: Logger;
}

/** How long it is left alone after it could not answer, in milliseconds. */
const restMs = 1_000;

/**
 * Opens a replica. It answers once it was seen to be a standby of the primary's database that is not behind; at other
 * times the primary answers, and no caller tries it again before a look of our own has found it well.
 */
export function createReplica({ primary, url, unnamed, log }: ReplicaOptions): Replica {
  const onError = (err: Error) => log.debug({ err }, 'a connection to the replica broke');
  const options = { url, unnamed, onError } as const;
  const database = openDatabase({ ...options, work: 'replica', applicationName: 'comanda-api' });
  const health = openDatabase({ ...options, work: 'health', poolSize: 1, applicationName: 'comanda-health' });
  const freshness = createFreshness(primary, health);
  const fromPrimary = readsFrom(primary);
  const counts: ReadCounts = Object.assign(
    { replica: 0 },
    Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>,
  );
  /** Why it is left alone; undefined while it answers. */
  let resting: Reason | undefined = 'unsure';
  let restsUntil = 0;
  let verifying = false;
  let closed = false;

  function rest(error: SentBackError): void {
    restsUntil = performance.now() + restMs;
    if (resting !== error.reason && !closed)
      log.warn(
        { reason: error.reason, found: error.message },
        'the replica is left alone: the primary answers',
      );
    resting = error.reason;
  }

  async function verify(): Promise<void> {
    verifying = true;
    try {
      await freshness.verify();
      resting = undefined;
      log.info('the replica answers reads');
    } catch (error) {
      rest(asSentBack(error));
    }
    verifying = false;
  }

  const on: Reads['on'] = async (read) => {
    if (resting !== undefined) {
      counts[resting] += 1;
      if (!verifying && performance.now() >= restsUntil) void verify();
      return fromPrimary.on(read);
    }
    const began = performance.now();
    try {
      const result = await read(database, freshness.reached);
      counts.replica += 1;
      return result;
    } catch (error) {
      // A refusal is an answer; and what ran as long as a statement may would take the primary as long.
      if (error instanceof ApiError || (isCanceled(error) && performance.now() - began >= statementMs)) {
        counts.replica += 1;
        throw error;
      }
      const failure = asSentBack(error);
      log.debug({ err: error, reason: failure.reason }, 'a read goes from the replica to the primary');
      // A statement that was interrupted says nothing of the others; nor does what ails the primary.
      if (failure.reason !== 'interrupted' && failure.reason !== 'unsure') rest(failure);
      counts[failure.reason] += 1;
    }
    return fromPrimary.on(read);
  };

  void verify();
  return {
    reads: readsOver(on),
    counts,
    health,
    async close() {
      closed = true;
      await health.close();
      await database.close();
    },
  };
}

const { statementMs } = workLimits.replica;

const isCanceled = (error: unknown): boolean => isState(error, 'canceled');

// The server says no connection, going down, coming up, no connections left; without a code it says nothing.
const isAway = ({ code }: SqlState) => means(code, 'disconnected', 'goingDown', 'exhausted');

function asSentBack(error: unknown): SentBackError {
  if (error instanceof SentBackError) return error;
  const state = sqlState(error);
  const message = error instanceof Error ? error.message : String(error);
  const reason = state === undefined || isAway(state) ? 'unreachable' : 'interrupted';
  return new SentBackError(reason, message, { cause: error });
}
