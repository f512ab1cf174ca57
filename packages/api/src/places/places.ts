import { getHeapStatistics } from 'node:v8';
import type { SqlDatabase } from '@comanda/db';
import { type AnswerBytes, createAnswerBytes, mostAnswerBytes } from './answer-bytes.ts';
import { type BatchPlaces, createBatchPlaces } from './batches.ts';
import { type BodyBytes, createBodyBytes } from './body-bytes.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import { bulkheadLimitsFor } from './bulkhead-limits.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { createJoinedReads, type JoinedReads } from './joined-reads.ts';
import { createJoinedWrites, type JoinedWrites } from './joined-writes.ts';
import { createLocationPlaces, exportLimits, type LocationPlaces } from './location-places.ts';

/** All load shedding in one process. Its refusals are all made in one place (no-place.ts). */
export interface Places {
  /** How many calls are under way. */
  readonly inFlight: InFlight;
  /** How many wait because a simulated fault makes them. */
  readonly slow: InFlight;
  /** How many of them use the database. */
  readonly bulkhead: Bulkhead;
  /** How large the bodies are that are under way. */
  readonly bodies: BodyBytes;
  /** How large the answers are that wait for their callers. */
  readonly answers: AnswerBytes;
  /** How many requests with several calls are under way: of one location, since each holds its answers until the last. */
  readonly callBatches: LocationPlaces;
  /** How many exports are read at a time. */
  readonly exports: LocationPlaces;
  /** The location whose bulk write is next. */
  readonly batches: BatchPlaces;
  /** Reads that share one connection, and so need no place of their own. */
  readonly joined: JoinedReads;
  /** Writes that share one transaction, and so one place. */
  readonly joinedWrites: JoinedWrites;
}

/** Makes those of a process. `bulkhead` has a timer, which its `close` ends. */
export function createPlaces(database: SqlDatabase): Places {
  const heapBytes = getHeapStatistics().heap_size_limit;
  const bulkhead = createBulkhead(bulkheadLimitsFor(heapBytes));
  return {
    inFlight: createInFlight(),
    // Each holds its body meanwhile, of 8 MiB at most.
    slow: createInFlight({ location: 10, all: 50 }),
    bulkhead,
    bodies: createBodyBytes(),
    answers: createAnswerBytes(mostAnswerBytes(heapBytes)),
    callBatches: createLocationPlaces({ all: Number.POSITIVE_INFINITY, location: 3 }),
    exports: createLocationPlaces(exportLimits),
    batches: createBatchPlaces(),
    joined: createJoinedReads(database),
    joinedWrites: createJoinedWrites(database, bulkhead),
  };
}
