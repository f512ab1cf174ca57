import { holdUps } from '@comanda/db';
import { type ApiError, unavailable } from '../errors.ts';

const MiB = 1024 ** 2;

/** How many may be under way: in all, and of one location. */
export interface CountBounds {
  all: number;
  location: number;
  /** So many of all are left to locations that have none. */
  spare?: number;
}

/** What one process takes on at once. Durations are in milliseconds. */
export const bounds = {
  /** Calls: what is accepted is answered in time, and one location leaves room for the others. */
  calls: { all: 1_024, location: 256 },
  /** Calls that a simulated fault delays. Each holds its body meanwhile, of 8 MiB at most. */
  slowCalls: { all: 50, location: 10 },
  /** Requests with several calls: each holds its answers until the last. */
  callBatches: { all: Number.POSITIVE_INFINITY, location: 3 },
  /** Exports: each holds a connection for as long as its caller reads, so slow readers cannot take those of every other request. */
  exports: { all: 4, location: 2, spare: 1 },
  /** Bulk writes: of those that wait for the location's lock, one holds a connection. */
  bulkWrites: { all: Number.POSITIVE_INFINITY, location: 1 },
  /** Bytes of bodies under way, and of those that began; `burst` may come at once. */
  bodies: { all: 96 * MiB, location: 24 * MiB, perSecond: 4 * MiB, burst: 32 * MiB },
  /**
   * Calls that use the database. Three locations whose rows are locked take nine of the ten slots that write to a
   * resource, until the first of their calls gives up; from then on three.
   */
  slots: {
    /** All together; what the pool has beyond it is for exports, keys, limits and health. */
    all: 14,
    /** Of one kind: reads go on when those that write are stuck. */
    kind: { query: 11, mutation: 11 },
    /** On one resource: the rest goes on when its table is locked. */
    resource: 12,
    /** Of one kind on one resource. */
    resourceKind: 10,
    /** Of one kind of one location: the rest goes on when its rows are locked. */
    locationKind: 8,
    /** Of one location on one resource, by kind. */
    compartment: { query: 5, mutation: 3 },
    /** Calls that wait for rows in the database, each of another location or resource. */
    waiting: 3,
    /** How long a transaction waits for a row in a slot that other calls need. */
    rowMs: 100,
    /** For how long a location has but one slot on a resource after a call was held up there. */
    narrowMs: holdUps.narrowMs as number,
    /** When nothing has moved for so long, those who wait are refused. */
    stuckMs: holdUps.stuckMs as number,
    /** The longest wait. */
    waitMs: holdUps.waitMs as number,
  },
  /** How reads that hold their slots for long leave room for other locations. */
  longReads: {
    /** A read that holds its slot no longer than this is not counted. */
    fromMs: 15,
    /** The time beyond it that reads of a location may hold slots before they get fewer of them. */
    burstMs: 250,
    /** The part of each millisecond that is given back. */
    refund: 0.1,
    /** For how long after its last call another location counts as present. */
    presentMs: 1_000,
    /** Slots that are left then: of one location on one resource, and of one location. */
    slots: { compartment: 1, location: 2 },
  },
  /** Rows that a joined read reads at once, and members of a joined write: what a batch holds, it holds for all of them. */
  joined: { reads: 100, writes: 24 },
  /** Joined writes that need a row which another transaction holds. */
  held: {
    /** Calls of one queue, so that they leave room among the calls of their location that are under way. */
    calls: 64,
    /** How long the first attempt waits for a lock. It has a slot that other calls of the location need. */
    firstMs: 20,
    /** Attempts of `holdUps.rowMs`, one of a queue: served when the row is free, and the worker's warden sees them wait. */
    long: 3,
    /** Attempts for the groups without a long one, each in turn. All groups have one within about `roundMs`. */
    short: 1,
    roundMs: 200,
    shortMs: { least: 10, most: 100 },
  },
};

/** The bounds of the slots of a process. */
export type SlotBounds = typeof bounds.slots;

/** The heap of a process that serves and reads nothing. */
const restingBytes = 80 * MiB;
/** The heap that a read takes at most: a page in characters of two bytes, put together, parsed and validated. */
const readBytes = 48 * MiB;

/** The slots of a process whose heap may have so many bytes: a small one has fewer for reads. */
export function slotBoundsFor(heapBytes: number): SlotBounds {
  const { kind } = bounds.slots;
  const reads = Math.max(1, Math.floor((heapBytes - restingBytes) / readBytes));
  return { ...bounds.slots, kind: { ...kind, query: Math.min(kind.query, reads) } };
}

/** The bytes of answers that a process whose heap may have so many bytes holds for callers that have not taken them. */
export function answerBoundsFor(heapBytes: number): CountBounds {
  const all = Math.min(512 * MiB, Math.max(32 * MiB, heapBytes / 4));
  return { all, location: all / 2 };
}

/**
 * The one refusal of all load shedding, thrown before any work began: the same request may be sent again. 503 with
 * `Retry-After`, in the words used when the database is away; `location_busy` when the location itself has too much.
 */
export const noSlot = (reason: Parameters<typeof unavailable>[0] = 'temporarily_unavailable'): ApiError =>
  unavailable(reason, 'This part of the service is not available at the moment; try again shortly.');
