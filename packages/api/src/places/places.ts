import type { Queryable } from '@comanda/db';
import { type BatchPlaces, createBatchPlaces } from './batches.ts';
import { type BodyBytes, createBodyBytes } from './body-bytes.ts';
import { type Bulkhead, createBulkhead } from './bulkhead.ts';
import { createExportPlaces, type ExportPlaces } from './exports.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { createJoinedReads, type JoinedReads } from './joined-reads.ts';
import { createJoinedWrites, type JoinedWrites } from './joined-writes.ts';

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
  /** How many exports are read at a time. */
  readonly exports: ExportPlaces;
  /** The location whose bulk write is next. */
  readonly batches: BatchPlaces;
  /** Reads that share one connection, and so need no place of their own. */
  readonly joined: JoinedReads;
  /** Writes that share one transaction, and so one place. */
  readonly joinedWrites: JoinedWrites;
}

/** Makes those of a process. `bulkhead` has a timer, which its `close` ends. */
export function createPlaces(database: Queryable): Places {
  const bulkhead = createBulkhead();
  return {
    inFlight: createInFlight(),
    // Each holds its body meanwhile, of 8 MiB at most.
    slow: createInFlight({ location: 10, all: 50 }),
    bulkhead,
    bodies: createBodyBytes(),
    exports: createExportPlaces(),
    batches: createBatchPlaces(),
    joined: createJoinedReads(database),
    joinedWrites: createJoinedWrites(database, bulkhead),
  };
}
