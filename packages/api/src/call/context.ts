import type { Database, Leaving, SecretBox } from '@comanda/db';
import type { Logger } from 'pino';
import type { Reply } from '../capacity/bytes.ts';
import type { Capacity } from '../capacity/capacity.ts';
import type { SlotRequest } from '../capacity/slots.ts';
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

/** What the work of an operation needs from outside, in whichever thread it is done. */
export interface Executor {
  readonly database: Database;
  /** The bounds on what is done at once. */
  readonly capacity: Capacity;
  /** The keys, for an operation that takes a further one in its input. */
  readonly credentials: Credentials;
  /** The limits that work counts and shows by itself. */
  readonly limiter: Pick<Limiter, 'batchHeaders' | 'refuseUsedUp' | 'startBatch' | 'usage'>;
  readonly secrets: SecretBox;
  readonly policy: Policy;
}

/** The state that one process holds for all of its requests. */
export interface App extends Executor {
  readonly limiter: Limiter;
  /** Where calls with large bodies or large work are performed; a stub has none. */
  readonly large: LargeBodies | undefined;
  readonly live: Live;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether the database answers and a worker beats; at most 2 s. */
  readiness(): Promise<Readiness>;
  /** Notifies the relay that something was committed; calls within a few milliseconds become one notification. */
  wakeRelay(): void;
  /** The caller's address, as `TRUSTED_PROXIES` lets it be known. */
  readonly clientAddress: ClientAddress;
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

/** The parts of a request that its work may depend on. */
interface RequestFacts {
  readonly requestId: string;
  /** Its position in a trace, if any: the header that calls made for it carry. */
  readonly traceparent?: string | undefined;
  /** When it came, by `performance.now()`. */
  readonly startedAt: number;
  /** The family of the path; the typed client speaks v2. */
  readonly apiVersion: Family;
  /** Where the request came from. */
  readonly clientAddress?: string | undefined;
  /** The entity tags that the caller holds, as REST carries them: a read answers 304, a write 412; see `matchesEtag`. */
  readonly ifNoneMatch?: string | undefined;
  /** The entity tags that what is asked for must have: `If-Match`, or `expected` of the typed client. */
  readonly ifMatch?: string | undefined;
  /** The call has an `If-Unmodified-Since`, which is never compared. */
  readonly ifUnmodifiedSince?: boolean | undefined;
  /** Whether a field that the operation does not know is refused; else the answer names it. */
  readonly refusesUnknown?: boolean | undefined;
  /** The response. Unset where none is waited for: in the thread for large bodies. */
  readonly reply?: Reply | undefined;
  /** The caller, who may leave before the answer. Unset where the caller is a part of the service. */
  readonly left?: Leaving | undefined;
  /** Headers of the answer, whether it succeeds or not. Calls of one request share them. */
  readonly headers: Record<string, string>;
}

/** One request, from whichever entrance. */
export interface RequestContext extends RequestFacts {
  readonly app: App;
  readonly authorization: string | undefined;
  /** The fault that the caller wants to meet, as `X-Comanda-Simulate` says it; see `beginSimulation`. */
  readonly simulate?: string | undefined;
  /** Ends the connection without an answer. */
  cut(): void;
}

/** A reader at one location: a call, or a command. */
export interface Lookup {
  readonly app: { readonly database: Database };
  readonly caller: Pick<Caller, 'locationId'>;
}

/** A call whose key was accepted, counted and permitted. */
export interface CallContext extends RequestFacts {
  readonly app: Executor;
  readonly caller: Caller;
  /** The slot that its work has or, where it joins others, may take. */
  readonly slot: SlotRequest;
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
 * has no slot among those that use the database, and so no database: only such reads and writes, and `withSlot` or
 * `writeInSlot` for what it needs beyond.
 */
export interface JoinedCall extends Omit<CallContext, 'app'> {
  readonly app: Pick<Executor, 'capacity' | 'policy'>;
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
