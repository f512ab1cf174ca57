import type { Leaving } from '@comanda/db';
import type { ApiError } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import type { Given } from './given.ts';

/** A call with a large body or a large work, as it goes to the thread that performs it. */
export interface LargeCall
  extends Pick<
    CallContext,
    | 'caller'
    | 'requestId'
    | 'traceparent'
    | 'apiVersion'
    | 'refusesUnknown'
    | 'ifMatch'
    | 'ifNoneMatch'
    | 'ifUnmodifiedSince'
    | 'simulation'
  > {
  /** The operation by its name in the router. */
  operation: string;
  given: Given;
}

/** The outcome of such a call. */
export type LargeAnswer = { headers: Record<string, string> } & (
  | { answer: Answer<unknown> & { text: string } }
  | { refusal: ApiError }
);

/** Performs calls with large bodies apart from the event loop that serves all others. */
export interface LargeBodies {
  /**
   * Performs an admitted call: its answer is text, its refusal is what `perform` throws, and `headers` are those that the
   * work has added in either case. The bytes may move to the thread, and are then gone here. Throws 503 when there is no slot, or the thread
   * ended, and `UnwantedError` when the caller leaves while it waits; the thread ends what it only reads for one that leaves later.
   */
  perform(call: LargeCall, left: Leaving | undefined): Promise<LargeAnswer>;
  /** Ends the thread, after what is under way. */
  close(): Promise<void>;
}

/** Performs an admitted call in the thread. Throws what `perform` throws there. */
export async function performApart(
  large: LargeBodies,
  ctx: CallContext,
  { name }: NamedOperation,
  given: Given,
): Promise<Answer<unknown>> {
  const { caller, requestId, traceparent, apiVersion, simulation, left } = ctx;
  const { refusesUnknown, ifMatch, ifNoneMatch, ifUnmodifiedSince } = ctx;
  const done = await large.perform(
    {
      operation: name,
      caller,
      requestId,
      traceparent,
      apiVersion,
      simulation,
      refusesUnknown,
      ifMatch,
      ifNoneMatch,
      ifUnmodifiedSince,
      given,
    },
    left,
  );
  Object.assign(ctx.headers, done.headers);
  if ('refusal' in done) throw done.refusal;
  return done.answer;
}
