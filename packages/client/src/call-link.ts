import { type Operation, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { unanswered } from './failure.ts';
import type { Envelope, Send } from './http-link.ts';
import { pause } from './pause.ts';
import { type CallSettings, type Clock, clockOf, repeated } from './repeats.ts';
import type { AppRouter } from './surface.ts';

type Failure = TRPCClientError<AppRouter>;

/**
 * The parts of a call beyond a request: it ends at its own signal and in its own time, alone or in a batch; it
 * is repeated while that can help; a mutation has an idempotency key.
 */
export function callLink(settings: CallSettings, send: Send): TRPCLink<AppRouter> {
  // One for all calls of a client: those of a batch are repeated as a batch, and other clients at other times.
  const spread = 0.5 + Math.random() / 2;
  return () =>
    ({ op }) =>
      observable<Envelope, Failure>((observer) => {
        const ending = new AbortController();
        const clock = clockOf(settings.timeoutMs);
        const sent = { ...op, input: inputOf(op, settings) };
        const tries = { ...settings, send, clock, spread, ending: ending.signal };
        const end = limit(op, settings.timeoutMs, clock, ending.signal);
        Promise.race(op.signal?.aborted ? [end] : [repeated(sent, tries), end])
          .then((envelope) => {
            observer.next(envelope);
            observer.complete();
          })
          .catch((error) => observer.error(TRPCClientError.from(error)))
          .finally(() => ending.abort());
        return () => ending.abort();
      });
}

/** Rejects when the call's time has ended, or its signal ends it; `done` lets go of both. */
function limit(
  { path, signal }: Operation,
  timeoutMs: number,
  { leftMs }: Clock,
  done: AbortSignal,
): Promise<never> {
  return new Promise((_, reject) => {
    const onTime = async () => {
      for (let ms = timeoutMs; ms > 0 && !done.aborted; ms = leftMs())
        await pause(Math.min(ms, longestTimerMs), done);
      if (!done.aborted) reject(unanswered(path, 'timeout', `no answer within ${timeoutMs} ms`));
    };
    void onTime();
    const onAbort = () => {
      const { reason } = signal as { reason?: { name?: unknown } };
      const isTime = reason?.name === 'TimeoutError';
      reject(
        isTime
          ? unanswered(path, 'timeout', 'its signal timed out', reason)
          : unanswered(path, 'aborted', 'given up', reason),
      );
    };
    signal?.addEventListener('abort', onAbort, { signal: done });
    if (signal?.aborted) onAbort();
  });
}

/** Timers take no more. */
const longestTimerMs = 2 ** 31 - 1;

// A call with a key that no other client knows can be repeated by this client alone.
function inputOf({ type, input }: Operation, { retries }: CallSettings): unknown {
  if (type !== 'mutation' || retries === 0) return input;
  const given = (input ?? {}) as { idempotencyKey?: string };
  return given.idempotencyKey === undefined ? { ...given, idempotencyKey: newKey() } : input;
}

// Not `randomUUID`: browsers have it on https alone.
function newKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
