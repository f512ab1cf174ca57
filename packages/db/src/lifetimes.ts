// Every length of time that another one depends on, in milliseconds, with the order in which parties give up. Their
// order, with its reasons, is tested by tests/rules/lifetimes.test.ts. A length that no other depends on is where it
// is used.

/** An attempt to deliver takes as long at most. */
export const attemptMs = 30_000;

/**
 * A stop, from the inside out. Each step ends before the one around it is cut short, so that the innermost work is what
 * decides how a stop ends.
 */
export const stoppingIn = (drainSeconds: number) => {
  const requestsMs = drainSeconds * 1_000;
  return {
    /** A task of the queue may go on; then its signal aborts. */
    taskMs: requestsMs - 5_000,
    /** Requests in flight are answered. */
    requestsMs,
    /** Attempts in flight are waited for, and their results are recorded. */
    deliveriesMs: requestsMs + 500,
    /** A process that still lives ends itself. */
    processMs: requestsMs + 2_000,
    /** The first API process kills the other serving ones. */
    siblingsMs: requestsMs + 2_200,
    /** The supervisor kills the API and the worker. */
    childMs: requestsMs + 2_500,
    /** All has stopped, the embedded database too: what is promised. */
    allMs: requestsMs + 5_000,
  };
};

/** A stop when `DRAIN_SECONDS` is not set: every attempt in flight is recorded. */
export const stopping = stoppingIn(30);

/** How a process that dies is started again: at once, then after twice as long each time. */
export const restarting = {
  firstMs: 200,
  longestMs: 5_000,
  /** After a life this long the run starts over. */
  healthyLifeMs: 30_000,
} as const;

/** A process says that it lives, and what its silence means. */
export const heartbeats = {
  everyMs: 5_000,
  /**
   * One beat may be lost to a short outage. After two missed in a row it judges no other process: it may be itself
   * that was away.
   */
  gapMs: 11_000,
  /** It counts as gone: health, metrics and doctor say so, and others share its limits. */
  goneMs: 15_000,
  /** A worker's claims and jobs go to others. Wrongly judged, its deliveries would be sent twice. */
  deadMs: 20_000,
} as const;

/** An export rests in a transaction while its caller reads. */
export const exporting = {
  /** A caller who takes nothing for so long is cut off. */
  stalledMs: 60_000,
  /** The server ends the transaction. */
  idleInTransactionMs: 90_000,
} as const;

/** When a call that the database holds up is refused, in one process (capacity/). */
export const holdUps = {
  /** A migration gives up a lock that it waits for: longer, and requests would pile up behind it. */
  migrationLockMs: 800,
  /**
   * An index that is built CONCURRENTLY waits for older transactions, a dump for example; no query queues behind it.
   */
  concurrentLockMs: 600_000,
  /** Where nothing moves for so long, those who wait are refused. */
  stuckMs: 3_000,
  /** The longest wait for a slot. */
  waitMs: 10_000,
  /** A joined write waits so long for a row that another transaction holds, beyond its first attempts. */
  rowMs: 2_000,
  /** For so long a location has one slot on a resource after a call was held up there. */
  narrowMs: 10_000,
} as const;

/** The relay publishes a location in one transaction, which holds it (packages/worker/src/relay). */
export const publishing = {
  /** A row that another transaction holds is waited for; then that location alone is put back. */
  lockMs: 1_000,
  /** The server ends a transaction that lies idle: its worker was frozen, and others wait for the location. */
  idleInTransactionMs: 4_000,
  statementMs: 120_000,
  /** A connection of the worker that gives no answer is broken. */
  abandonMs: 150_000,
  /** Changes that wait for so long, while none is published, mean that publishing is stalled. */
  stalledMs: 60_000,
} as const;

/** SQL: the number of the advisory lock under which one worker at a time publishes the changes of a location. */
export const publishingLock = (location: string): string =>
  `hashtextextended('comanda relay ' || ${location}, 0)`;

/** The worker ends sessions of people that pass a bound (packages/worker/src/warden.ts). */
export const wardenLooks = {
  everyMs: 500,
  /** While there is no such session. One that begins is ended before an order that waits for it gives up. */
  restMs: 1_400,
  /** The service waits so long for a lock that such a session holds. An order waits for 2 s (`holdUps.rowMs`): it is seen. */
  waitMs: 1_000,
} as const;

/** For how many days lists of changes report deletions: the worker keeps them, and the API promises them. */
export const deletionsKept = { days: 30 } as const;

/** How long a worker has claimed a delivery for: as long as its attempt may take, and this for waiting and recording. */
export const leaseMarginMs = 10_000;

/** A pool finds out that packets vanish; see pool.ts. */
export const silence = {
  suspicionMs: 2_000,
  askMs: 3_000,
  /** Beyond what a statement may run. */
  abandonMarginMs: 5_000,
} as const;

/** The limits of one kind of work in the database; durations in milliseconds. */
export interface WorkLimits {
  /** Connections of one pool at most. */
  connections: number;
  /** How long it may wait for a connection, whether one of the pool or a new one. */
  waitMs: number;
  /** How long one statement may run. */
  statementMs: number;
  /**
   * How long one statement may wait for a lock: shorter than `statementMs`, so that a wait is distinguished from slow
   * work.
   */
  lockMs: number;
  /** How long a transaction may lie idle before the server ends it and frees its locks. */
  idleInTransactionMs: number;
}

/**
 * The limits of each kind of work. A caller of the API waits for its answer, so its limits are short; the worker has
 * no waiting caller, and tries again. Streaming exports set their own, being as slow as their readers.
 */
export const workLimits = {
  api: { connections: 20, waitMs: 5_000, statementMs: 15_000, lockMs: 5_000, idleInTransactionMs: 15_000 },
  worker: {
    connections: 12,
    waitMs: 5_000,
    statementMs: 60_000,
    lockMs: 15_000,
    // Inside a transaction nothing waits for another process: a worker that is this late was frozen, and holds
    // up the others.
    idleInTransactionMs: 5_000,
  },
  health: { connections: 2, waitMs: 2_000, statementMs: 2_000, lockMs: 1_000, idleInTransactionMs: 10_000 },
  command: {
    connections: 10,
    waitMs: 5_000,
    statementMs: 30_000,
    lockMs: 15_000,
    idleInTransactionMs: 60_000,
  },
  // Doctor only reads: who holds a table is a finding, and nothing to wait for.
  look: { connections: 2, waitMs: 5_000, statementMs: 30_000, lockMs: 1_000, idleInTransactionMs: 60_000 },
  // A person waits for all of a large database to be looked at.
  'deep look': {
    connections: 2,
    waitMs: 5_000,
    statementMs: 1_800_000,
    lockMs: 1_000,
    idleInTransactionMs: 60_000,
  },
} as const satisfies Record<string, WorkLimits>;

/**
 * A kind of work: requests, the worker's jobs, health and metrics, or commands and what
 * else a person starts.
 */
export type WorkKind = keyof typeof workLimits;
