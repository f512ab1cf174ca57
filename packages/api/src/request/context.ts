import type { Database, SecretBox } from '@comanda/db';
import type { Logger } from 'pino';
import type { Caller, Credentials } from '../credentials/credentials.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { Bulkhead } from '../places/bulkhead.ts';
import type { InFlight } from '../places/in-flight.ts';
import type { Reads } from '../replica/reads.ts';

/** What one process holds for all of its requests. */
export interface App {
  /** The primary. */
  readonly database: Database;
  /** What calls get as `ctx.reads`. */
  readonly reads: Reads;
  readonly credentials: Credentials;
  readonly limiter: Limiter;
  readonly inFlight: InFlight;
  readonly bulkhead: Bulkhead;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether the database answers and a worker beats; at most 2 s. */
  readiness(): Promise<Readiness>;
  /** Tells the relay that something was committed; calls within a few milliseconds become one notification. */
  wakeRelay(): void;
  readonly policy: Policy;
}

/** The settings that operations depend on. */
export interface Policy {
  idempotencyTtlHours: number;
  webhookTargets: 'public' | 'any';
  webhookAllowCidrs: string[];
}

/** What an operation adds to its answer beside the value. */
export interface Reply {
  headers: Record<string, string>;
  /** The value as JSON text, when it is at hand: sent as it is, so that a replay is byte for byte the same. */
  json?: string;
  /** The cursor of the next page of what has changed: REST carries it in a `Link`. */
  next?: string;
  /** The entity tag of `json`, quotes included. REST answers 304 without a body when the caller has it already. */
  etag?: string;
  /** The value's JSON text in pieces, when it is too large to be held: REST sends these and not the value. */
  stream?: TextStream;
}

/** Text that is made while it is sent. */
export interface TextStream {
  /** The next piece; undefined at the end. Rejects when the rest cannot be made. */
  next(): Promise<string | undefined>;
  /** Lets go of what it is made from, at the end or before. May be called again. */
  close(): Promise<void>;
}

/** One request, from whichever entrance. */
export interface RequestContext {
  readonly app: App;
  readonly requestId: string;
  readonly entrance: 'rest' | 'trpc';
  /** When it came, by `performance.now()`. */
  readonly startedAt: number;
  /** The family of the path; the typed client speaks v2. */
  readonly apiVersion: 'v1' | 'v2';
  readonly authorization: string | undefined;
  /** The entity tags that the caller holds, as REST carries them; see `matchesEtag`. */
  readonly ifNoneMatch?: string | undefined;
  /** Set once admitted: by the REST adapter before it reads the body, by the first middleware for tRPC. */
  readonly caller?: Caller | undefined;
  readonly reply: Reply;
}

/** A request whose key was accepted, counted and permitted. */
export interface CallContext extends RequestContext {
  readonly caller: Caller;
  /** Reads that a replica may answer, where there is one: of much, once a call. All else is `app.database`'s. */
  readonly reads: Reads;
  /** Set for every idempotent operation. */
  readonly idempotency?: Idempotency | undefined;
}

/** A call of an idempotent operation: the key, and what it must be repeated with. */
export interface Idempotency {
  /** The name of the operation; keys of different operations never meet. */
  operation: string;
  key: string;
  /** SHA-256 of the canonical input. */
  requestHash: Buffer;
}
