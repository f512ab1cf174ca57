import type { Grant } from '../permissions.ts';

/** A refusal in place of one of the work. `reason` may be one that the table does not have. */
export interface StubRefusal {
  reason: string;
  code: string;
  httpStatus: number;
  message: string;
  fields: readonly { path: string; message: string }[];
  resourceId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  etag?: string | undefined;
  /** ISO 8601. */
  since?: string | undefined;
}

/** The replacement for the outcome of an operation's work. */
export type StubAnswer =
  | {
      value: unknown;
      /** The entity tag, quotes included. */
      etag?: string | undefined;
      /** Whether it is the answer of an earlier call with the same idempotency key. */
      replayed?: boolean | undefined;
    }
  | { refused: StubRefusal }
  /** The request gets no answer: `fetch` rejects with `failed`. With `done` the work was done even so. */
  | { failed: unknown; done?: { value: unknown } | undefined };

/** An event as it is published. */
export interface StubEvent {
  id: string;
  type: string;
  created_at: string;
}

/** The events that a stub publishes. */
export interface StubEvents {
  /** Oldest first. */
  readonly published: readonly StubEvent[];
  /** Calls `listener` after each event that is published; the answer ends that. */
  onPublished(listener: () => void): () => void;
}

/** The answers of a stub. */
export interface StubOptions {
  /** The grants of the caller's key. */
  permissions: readonly Grant[];
  /**
   * Replaces the work of an operation, by its name and its input, in which defaults are filled in. `undefined` for
   * `events.list` returns the published events.
   */
  answer(operation: string, input: unknown): Promise<StubAnswer | undefined>;
  events: StubEvents;
}

/** A request of the typed client. */
export interface StubRequest {
  url: string;
  method: string;
  headers: Headers;
  body: string;
  /** Ends a stream of events. */
  signal: AbortSignal;
}
