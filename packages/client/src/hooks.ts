/** A call on its way. */
export interface CallSeen {
  /** `orders.create`. */
  path: string;
  type: 'query' | 'mutation';
  /** Which try it is, from 1. */
  attempt: number;
}

/** A call that is about to be sent. */
export interface RequestSeen extends CallSeen {
  /**
   * The headers of this call in addition to those of the client, with names in lower case. Headers added here are
   * sent.
   */
  headers: Record<string, string>;
}

/** An answer to a call: of the service, or of a proxy in its place. */
export interface ResponseSeen extends CallSeen {
  /** The HTTP status. In a batch that of the whole request: 207 where its calls differ. */
  status: number;
  headers: Headers;
  /** Names the request in the logs of the service. */
  requestId: string | undefined;
  /** From the sending to the end of the answer. */
  durationMs: number;
}

/** A call that is about to be repeated; `attempt` is the try that failed. */
export interface RetrySeen extends CallSeen {
  /** How long the client waits before the next try. */
  waitMs: number;
  /** The error that the call would have thrown: `comandaError` and `noAnswer` read it. */
  error: Error;
}

/**
 * Functions that see every call of a client but the stream of `events.watch`: for logs, metrics and traces. A call throws what
 * one of them throws.
 */
export interface Hooks {
  /** Before each try. It is waited for, and may add headers. */
  onRequest?: ((request: RequestSeen) => void | Promise<void>) | undefined;
  /** After each answer, a refusal included. */
  onResponse?: ((response: ResponseSeen) => void) | undefined;
  /** Before the wait for a repeat. */
  onRetry?: ((retry: RetrySeen) => void) | undefined;
}
