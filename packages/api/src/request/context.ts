import type { Database, Leaving, SecretBox, SqlDatabase } from '@comanda/db';
import type { Logger } from 'pino';
import type { ReadInput } from '../bodies/input.ts';
import type { Reply } from '../capacity/bytes.ts';
import type { Capacity } from '../capacity/capacity.ts';
import type { JoinedReads } from '../capacity/joined-reads.ts';
import type { JoinedWrites } from '../capacity/joined-writes.ts';
import type { Caller, Credentials } from '../credentials/credentials.ts';
import type { Deprecations } from '../deprecations.ts';
import type { Family } from '../families.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Live } from '../live/live.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { Answer } from './answer.ts';
import type { ClientAddress } from './client-address.ts';
import type { LargeBodies } from './large.ts';
import type { Simulation } from './simulation.ts';
import type { Precondition } from './tags.ts';

/** The state that one process holds for all of its requests. */
export interface App {
  readonly database: Database;
  readonly credentials: Credentials;
  readonly limiter: Limiter;
  readonly capacity: Capacity;
  /** Where calls with large bodies or large work are performed; a stub has none. */
  readonly large: LargeBodies | undefined;
  readonly live: Live;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether the database answers and a worker beats; at most 2 s. */
  readiness(): Promise<Readiness>;
  /** Notifies the relay that something was committed; calls within a few milliseconds become one notification. */
  wakeRelay(): void;
  /** The caller's address, as `TRUSTED_PROXIES` lets it be known. */
  readonly clientAddress: ClientAddress;
  readonly policy: Policy;
  /** The deprecations in answers and documents. */
  readonly deprecations: Deprecations;
  /** The addresses and ranges that webhooks come from, as the operator publishes them; none are fixed where it is empty. */
  readonly webhookSourceAddresses: readonly string[];
}

/** The settings that operations depend on. */
export interface Policy {
  idempotencyTtlHours: number;
  webhookTargets: 'public' | 'any';
  webhookAllowCidrs: string[];
  /** Whether the in-house app is served, and its codes are taken. */
  app: 'on' | 'off';
}

/** One request, from whichever entrance. */
export interface RequestContext {
  readonly app: App;
  readonly requestId: string;
  /** Its position in a trace, if any: the header that calls made for it carry. */
  readonly traceparent?: string | undefined;
  /** When it came, by `performance.now()`. */
  readonly startedAt: number;
  /** The family of the path; the typed client speaks v2. */
  readonly apiVersion: Family;
  readonly authorization: string | undefined;
  /** Where the request came from. */
  readonly clientAddress?: string | undefined;
  /** The entity tags that the caller holds, as REST carries them: a read answers 304, a write 412; see `matchesEtag`. */
  readonly ifNoneMatch?: string | undefined;
  /** The entity tags that what is asked for must have: `If-Match`, or `expected` of the typed client. */
  readonly ifMatch?: string | undefined;
  /** The call has an `If-Unmodified-Since`, which is never compared. */
  readonly ifUnmodifiedSince?: boolean | undefined;
  /** The fault that the caller wants to meet, as `X-Comanda-Simulate` says it; see `beginSimulation`. */
  readonly simulate?: string | undefined;
  /** Reads the input of a call, by its index in a batch, from the body or the URL. Unset where the entrance gives it otherwise. */
  readonly inputOf?: ((batchIndex: number) => Promise<ReadInput>) | undefined;
  /** Performs the calls of one batch one after the other. Unset outside a batch. */
  readonly inTurn?: (<Value>(call: () => Promise<Value>) => Promise<Value>) | undefined;
  /** Waits until a batch of the location may begin; may be called for each of its calls. Unset outside a batch. */
  readonly startBatch?: ((locationId: string) => Promise<void>) | undefined;
  /** Whether the entrance takes answers as JSON text; else as values. */
  readonly asText?: true | undefined;
  /** The response. Unset where none is waited for: in the thread for large bodies. */
  readonly reply?: Reply | undefined;
  /** The caller, who may leave before the answer. Unset where the caller is a part of the service. */
  readonly left?: Leaving | undefined;
  /** Ends the connection without an answer. */
  cut(): void;
  /** Whether a field that the operation does not know is refused; else the answer names it. */
  readonly refusesUnknown?: boolean | undefined;
  /** Headers of the answer, whether it succeeds or not. */
  readonly headers: Record<string, string>;
}

/** A reader at one location: a call, or a command. */
export interface Lookup {
  readonly app: { readonly database: SqlDatabase };
  readonly caller: Pick<Caller, 'locationId'>;
}

/** A request whose key was accepted, counted and permitted. */
export interface CallContext extends RequestContext {
  readonly caller: Caller;
  /** The fault that a call of a sandbox meets. */
  readonly simulation?: Simulation | undefined;
  /** Set when the call came with an idempotency key: what writes stores its answer with it (writing.ts). */
  readonly idempotency?: Idempotency | undefined;
  /** The precondition of the resource before it is written: the write compares it (writing.ts). */
  readonly precondition?: Precondition | undefined;
  /** How long a transaction of the call waits for a row that another one holds; as long as its session unless set. */
  readonly lockWaitMs?: number | undefined;
}

/**
 * The context of an operation that reads or writes together with other callers (`joinedQuery`, `joinedMutation`). It
 * has no slot, and so no database: only such reads and writes, and `inSlot` for
 * what it needs beyond.
 */
export interface JoinedCall
  extends Pick<
    CallContext,
    | 'caller'
    | 'clientAddress'
    | 'ifNoneMatch'
    | 'precondition'
    | 'requestId'
    | 'traceparent'
    | 'idempotency'
    | 'simulation'
  > {
  readonly policy: Policy;
  readonly joinedReads: JoinedReads;
  readonly joinedWrites: JoinedWrites;
  /** Does the rest in a slot of its own. Throws 503 when there is none. */
  inSlot<Result>(work: (ctx: CallContext) => Promise<Result>): Promise<Result>;
  /**
   * Performs one transaction of the call in a slot. If it meets a row that another transaction holds, it starts again among the
   * calls that wait for rows, which frees its slot for others. Throws the lock's timeout after `holdUps.rowMs`.
   */
  writeInSlot<Result>(work: (ctx: CallContext) => Promise<Result>): Promise<Result>;
}

/** A key that a call came with, and what it must be repeated with. */
export interface Idempotency {
  /** The name of the operation; keys of different operations never meet. */
  operation: string;
  key: string;
  /** SHA-256 of the canonical input. */
  requestHash: Buffer;
  /** The JSON text of what the operation answers, as the family of the caller shows it. */
  textOf(answer: Answer<unknown>): string;
}
