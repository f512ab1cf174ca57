/** What one kind of work may take of the database; durations in milliseconds. */
export interface WorkLimits {
  /** Connections of one pool at most. */
  connections: number;
  /** How long it may wait for a connection, whether one of the pool or a new one. */
  waitMs: number;
  /** How long one statement may run. */
  statementMs: number;
  /** How long one statement may wait for a lock: shorter than `statementMs`, so that a wait is told from slow work. */
  lockMs: number;
  /** How long a transaction may lie idle before the server ends it and frees its locks. */
  idleInTransactionMs: number;
}

/**
 * The limits of each kind of work. A caller of the API waits for its answer, so its limits are short; nobody waits for
 * the worker, which tries again. Streaming exports set their own, being as slow as whoever reads them.
 */
export const workLimits = {
  api: { connections: 20, waitMs: 5_000, statementMs: 15_000, lockMs: 5_000, idleInTransactionMs: 15_000 },
  // As the API's, but the primary is there: what does not come at once is not waited for.
  replica: {
    connections: 20,
    waitMs: 1_000,
    statementMs: 15_000,
    lockMs: 1_000,
    idleInTransactionMs: 15_000,
  },
  worker: {
    connections: 12,
    waitMs: 5_000,
    statementMs: 60_000,
    lockMs: 15_000,
    // Nobody is waited for inside a transaction: a worker that is this late was frozen, and holds up the others.
    idleInTransactionMs: 5_000,
  },
  watch: { connections: 2, waitMs: 2_000, statementMs: 2_000, lockMs: 1_000, idleInTransactionMs: 10_000 },
  command: {
    connections: 10,
    waitMs: 5_000,
    statementMs: 30_000,
    lockMs: 15_000,
    idleInTransactionMs: 60_000,
  },
  // A person waits for all of a large database to be looked at.
  'deep look': {
    connections: 2,
    waitMs: 5_000,
    statementMs: 1_800_000,
    lockMs: 15_000,
    idleInTransactionMs: 60_000,
  },
} as const satisfies Record<string, WorkLimits>;

/**
 * A kind of work: requests, their reads from a replica, the worker's jobs, health and metrics, or commands and what
 * else a person starts.
 */
export type WorkKind = keyof typeof workLimits;
