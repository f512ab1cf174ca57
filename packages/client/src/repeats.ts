import { type Operation, TRPCClientError } from '@trpc/client';
import { asCallerError, isAway, isLimit, waitAfter } from './failure.ts';
import type { CallSeen, Hooks } from './hooks.ts';
import type { Envelope, Send } from './http-link.ts';
import type { Pace, Turn } from './pace.ts';
import { pause } from './pause.ts';

/** How long and how often a call is tried; see `ClientOptions`. @internal */
export interface CallSettings extends Hooks {
  timeoutMs: number;
  retries: number;
  /** Of a client that waits for its limits. */
  pace?: Pace | undefined;
}

/** The time of a call, which runs except while it waits for its limits. @internal */
export interface Clock {
  leftMs(): number;
  stop(): void;
  go(): void;
}

export function clockOf(timeoutMs: number): Clock {
  let left = timeoutMs;
  let since: number | undefined = performance.now();
  const leftMs = () => (since === undefined ? left : left - (performance.now() - since));
  return {
    leftMs,
    stop() {
      left = leftMs();
      since = undefined;
    },
    go() {
      since ??= performance.now();
    },
  };
}

/** The parameters of a call's tries. @internal */
export interface Tries extends CallSettings {
  send: Send;
  clock: Clock;
  /** Spreads the waits of clients: from 0.5 to 1. */
  spread: number;
  ending: AbortSignal;
}

const shortestWaitMs = 400;
const longestWaitMs = 2_000;
/** The windows of all limits but the month's are shorter. */
const longestLimitMs = 3_700_000;

/**
 * Sends a call until it is answered: while the service is away until the time of the call has ended, and as often as
 * `retries` says where it is refused for now. Rejects with what the call throws.
 *
 * @internal
 */
export async function repeated(op: Operation, tries: Tries): Promise<Envelope> {
  const { timeoutMs, retries, spread, clock, ending, pace, onRetry } = tries;
  let refused = 0;
  for (let attempt = 1; ; attempt++) {
    if (pace) clock.stop();
    const turn = await pace?.turn(ending);
    clock.go();
    const seen = { path: op.path, type: op.type as 'query', attempt };
    try {
      return await tried(op, seen, tries, turn);
    } catch (thrown) {
      const error = TRPCClientError.from(thrown as Error);
      const wait = waitAfter(error);
      const usualMs = Math.min(shortestWaitMs * 2 ** (attempt - 1), longestWaitMs) * spread;
      const waitMs = typeof wait === 'number' ? wait * 1000 + spread * 100 : usualMs;
      const failure = asCallerError(op.path, error);
      const isFree = pace && isLimit(error) && waitMs < longestLimitMs;
      if (isFree) pace.close(waitMs);
      if (wait === undefined || retries === 0) throw failure;
      if (!isFree && !isAway(error) && refused++ === retries) throw failure;
      // A wait that would end in a refusal on a timer is not begun.
      if (!isFree && waitMs >= clock.leftMs()) {
        if (typeof wait === 'number')
          failure.message += ` (to be repeated in ${wait} s, beyond the ${timeoutMs} ms of the call)`;
        throw failure;
      }
      onRetry?.({ ...seen, waitMs, error: failure });
      turn?.leave();
      if (isFree) clock.stop();
      await pause(waitMs, ending);
      if (ending.aborted) throw failure;
    } finally {
      turn?.leave();
    }
  }
}

async function tried(op: Operation, seen: CallSeen, tries: Tries, turn?: Turn): Promise<Envelope> {
  const { send, ending: signal, onRequest, onResponse } = tries;
  const given = Object.entries((op.context.headers ?? {}) as Record<string, string>);
  const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]));
  await onRequest?.({ ...seen, headers });
  const began = performance.now();
  return send({
    ...op,
    headers,
    signal,
    hear(answer) {
      turn?.hear(answer.headers);
      onResponse?.({
        ...seen,
        status: answer.status,
        headers: answer.headers,
        requestId: answer.headers.get('x-request-id') ?? undefined,
        durationMs: performance.now() - began,
      });
    },
  });
}
