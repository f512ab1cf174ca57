import { getHeapStatistics } from 'node:v8';
import type { Database } from '@comanda/db';
import { answerBoundsFor, bounds, slotBoundsFor } from './bounds.ts';
import { AnswerBytes, BodyBytes } from './bytes.ts';
import { Count } from './counts.ts';
import { JoinedReads } from './joined-reads.ts';
import { JoinedWrites } from './joined-writes.ts';
import { createSlots, type Slots } from './slots.ts';

/** All load shedding in one process, within `bounds`. All of it refuses with `noSlot`. */
export interface Capacity {
  /** Calls under way. */
  readonly calls: Count;
  /** Calls that wait because a simulated fault makes them. */
  readonly slowCalls: Count;
  /** Requests with several calls. */
  readonly callBatches: Count;
  /** Exports that are read. */
  readonly exports: Count;
  /** Bulk writes: one after the other at a location. */
  readonly bulkWrites: Count;
  /** Calls that use the database. */
  readonly slots: Slots;
  /** Bytes of bodies under way. */
  readonly bodies: BodyBytes;
  /** Bytes of answers that wait for their callers. */
  readonly answers: AnswerBytes;
  /** Reads that share one connection, and so need no slot of their own. */
  readonly joinedReads: JoinedReads;
  /** Writes that share one transaction, and so one slot. */
  readonly joinedWrites: JoinedWrites;
}

/** Creates the capacity of a process. `slots` has a timer, which its `close` ends. */
export function createCapacity(database: Database): Capacity {
  const heapBytes = getHeapStatistics().heap_size_limit;
  const slots = createSlots(slotBoundsFor(heapBytes));
  return {
    calls: new Count(bounds.calls),
    slowCalls: new Count(bounds.slowCalls),
    callBatches: new Count(bounds.callBatches),
    exports: new Count(bounds.exports),
    bulkWrites: new Count(bounds.bulkWrites),
    slots,
    bodies: new BodyBytes(),
    answers: new AnswerBytes(answerBoundsFor(heapBytes)),
    joinedReads: new JoinedReads(database),
    joinedWrites: new JoinedWrites(database, slots),
  };
}
