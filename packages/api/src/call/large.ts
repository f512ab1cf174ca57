import type { Leaving } from '@comanda/db';
import type { Given } from '../bodies/input.ts';
import type { Caller } from '../credentials/credentials.ts';
import type { ApiError } from '../errors.ts';
import type { Family } from '../families.ts';
import type { Answer } from './answer.ts';
import type { Simulation } from './simulation.ts';

/** A call with a large body or a large work, as it goes to the thread that performs it. */
export interface LargeCall {
  /** The operation by its name in the router. */
  operation: string;
  caller: Caller;
  requestId: string;
  traceparent: string | undefined;
  apiVersion: Family;
  refusesUnknown: boolean | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifUnmodifiedSince: boolean | undefined;
  simulation: Simulation | undefined;
  given: Given;
}

/** The outcome of such a call. */
export type LargeAnswer = { headers: Record<string, string> } & (
  | { answer: Answer<unknown> & { text: string } }
  | { refusal: ApiError }
);

/** Performs calls with large bodies apart from the event loop that serves all others. */
export interface LargeBodies {
  /** Whether the thread has started; it starts with the first question. */
  isReady(): boolean;
  /**
   * Performs an admitted call: its answer is text, its refusal is what `perform` throws, and `headers` are those that the
   * work has added in either case. The bytes may move to the thread, and are then gone here. Throws 503 when there is no slot, or the thread
   * ended, and `UnwantedError` when the caller leaves while it waits; the thread ends what it only reads for one that leaves later.
   */
  perform(call: LargeCall, left: Leaving | undefined): Promise<LargeAnswer>;
  /** Ends the thread, after what is under way. */
  close(): Promise<void>;
}
