import { judgeAny } from '../../fuzz/judge.ts';
import type { WireAnswer, WireRequest } from '../../fuzz/send.ts';
import { requireDocumented } from '../../support/documented.ts';
import type { Target } from './targets.ts';

/** Bounds on what one request does to the process that serves it. */
export const bounds = {
  /** CPU time of the main thread without a turn of the event loop, in ms: the promise. */
  stopMs: 50,
  /** The resident memory that one body adds, in MiB. */
  grewMiB: 192,
  /** The process's growth after all of them, in MiB. */
  keptMiB: 512,
  /** An answer of `/healthz`, in ms, with room for a busy machine: it finds waits that take no CPU time. */
  healthMs: 5_000,
} as const;

/**
 * Holds the answer to a large body against the contract.
 * @throws {Error} saying what is wrong with it.
 */
export function judgeAnswer({ entrance, operation }: Target, request: WireRequest, answer: WireAnswer): void {
  // Its duration depends on the other work of the machine; the stop of the event loop has the bound.
  judgeAny({ ...answer, tookMs: 0 }, operation.meta.conditional);
  if (entrance === 'rest') requireDocumented(request.method, request.target.split('?')[0] ?? '', answer);
  else if (answer.status >= 400) requireRefused(answer);
}

/** Whether the request was refused because too much was under way: the caller sends it again. */
export function isShed({ status, headers }: Pick<WireAnswer, 'status' | 'headers'>): boolean {
  return status === 503 && Number(headers.get('retry-after')) > 0;
}

// One refusal, or one for each call that was asked for together.
function requireRefused({ body }: WireAnswer): void {
  for (const part of [body].flat()) {
    const error = (part as { error?: { message?: unknown; code?: unknown } } | undefined)?.error;
    if (typeof error?.message !== 'string' || error.code === undefined)
      throw new Error('is not an error envelope');
  }
}
