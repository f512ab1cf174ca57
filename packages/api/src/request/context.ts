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

/** One request, from whichever entrance. */
export interface RequestContext {
  readonly app: App;
  readonly requestId: string;
  /** When it came, by `performance.now()`. */
  readonly startedAt: number;
  /** The family of the path; the typed client speaks v2. */
  readonly apiVersion: 'v1' | 'v2';
  readonly authorization: string | undefined;
  /** The entity tags that the caller holds, as REST carries them; see `matchesEtag`. */
  readonly ifNoneMatch?: string | undefined;
  /** Whether a field that the operation does not know is refused; else the answer names it. */
  readonly refusesUnknown?: boolean | undefined;
  /** Headers of the answer, whether it succeeds or not. */
  readonly headers: Record<string, string>;
}

/** A request whose key was accepted, counted and permitted. */
export interface CallContext extends RequestContext {
  readonly caller: Caller;
  /** Reads that a replica may answer, where there is one: of much, once a call. All else is `app.database`'s. */
  readonly reads: Reads;
  /** Set when the call came with an idempotency key: what writes stores its answer with it (writing.ts). */
  readonly idempotency?: Idempotency | undefined;
}

/** A key that a call came with, and what it must be repeated with. */
export interface Idempotency {
  /** The name of the operation; keys of different operations never meet. */
  operation: string;
  key: string;
  /** SHA-256 of the canonical input. */
  requestHash: Buffer;
  /** The JSON text of a value that the operation answers. */
  textOf(value: unknown): string;
}
