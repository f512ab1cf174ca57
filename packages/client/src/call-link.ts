import type { Operation, OperationResultEnvelope, TRPCClientError, TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { asTold, unanswered, waitAfter } from './failure.ts';
import { noteReplay } from './replayed.ts';
import type { AppRouter } from './surface.ts';

/** How long and how often a call is tried; see `ClientOptions`. */
export interface CallSettings {
  timeoutMs: number;
  retries: number;
}

type Failure = TRPCClientError<AppRouter>;
type Envelope = OperationResultEnvelope<unknown, Failure>;

/**
 * What a call is more than a request: it ends at its own signal and in its own time, alone or in a batch; it is
 * repeated while that can help; a mutation has an idempotency key.
 */
export function callLink(settings: CallSettings): TRPCLink<AppRouter> {
  // One for all calls of a client: those of a batch are repeated as a batch, and other clients at other times.
  const spread = 0.5 + Math.random() / 2;
  return () =>
    ({ op, next }) =>
      observable<Envelope, Failure>((observer) => {
        const ending = new AbortController();
        const sent = { ...op, input: inputOf(op, settings), signal: ending.signal };
        const attempt = () =>
          new Promise<Envelope>((resolve, reject) => next(sent).subscribe({ next: resolve, error: reject }));
        const limited = limit(op, settings.timeoutMs);
        const tries = { ...settings, spread, ending: ending.signal };
        Promise.race(op.signal?.aborted ? [limited.end] : [repeated(op, attempt, tries), limited.end])
          .then((envelope) => {
            noteReplay(op, envelope);
            observer.next(envelope);
            observer.complete();
          }, observer.error)
          .finally(limited.release)
          .finally(() => ending.abort());
        return () => ending.abort();
      });
}

interface Tries extends CallSettings {
  spread: number;
  ending: AbortSignal;
}

async function repeated(
  op: Operation,
  attempt: () => Promise<Envelope>,
  { timeoutMs, retries, spread, ending }: Tries,
): Promise<Envelope> {
  const deadline = performance.now() + timeoutMs;
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = waitAfter(error);
      if (wait === undefined || tried === retries) throw asTold(op.path, error);
      const waitMs =
        wait === 'as usual' ? shortestWaitMs * 2 ** tried * spread : wait.seconds * 1000 + spread * 100;
      // Whoever waits to be refused by the clock waits for nothing.
      if (performance.now() + waitMs >= deadline) throw asTold(op.path, error);
      await pause(waitMs, ending);
      if (ending.aborted) throw error;
    }
  }
}

const shortestWaitMs = 400;

/** Rejects when the call's time is over, or its signal ends it. */
function limit({ path, signal }: Operation, timeoutMs: number): { end: Promise<never>; release(): void } {
  let release = () => {};
  const end = new Promise<never>((_, reject) => {
    const over = () => reject(unanswered(path, 'timeout', `no answer within ${timeoutMs} ms`));
    const timer = setTimeout(over, Math.min(timeoutMs, longestTimerMs));
    const onAbort = () => {
      const { reason } = signal as AbortSignal;
      const kind = reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'aborted';
      reject(
        unanswered(
          path,
          kind,
          kind === 'timeout' ? 'no answer in the time of its signal' : 'given up',
          reason,
        ),
      );
    };
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
  return { end, release };
}

/** Timers take no more. */
const longestTimerMs = 2 ** 31 - 1;

// What is sent with a key that nobody else knows can be repeated by this client alone.
function inputOf({ type, input }: Operation, { retries }: CallSettings): unknown {
  if (type !== 'mutation' || retries === 0) return input;
  const given = (input ?? {}) as { idempotencyKey?: string };
  return given.idempotencyKey === undefined ? { ...given, idempotencyKey: newKey() } : input;
}

// Not `randomUUID`: browsers have it on https alone.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Waits, or until the signal ends it. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}
