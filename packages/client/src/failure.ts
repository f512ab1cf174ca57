import { TRPCClientError } from '@trpc/client';
import { comandaError, type NoAnswer } from './errors.ts';
import type { AppRouter } from './surface.ts';
import { NoConnection, StrangeAnswer } from './transport.ts';

/** How many seconds to wait before a call that threw this is repeated. */
export type Wait = number | 'as usual' | undefined;

/** `undefined` when repeating helps nothing; `as usual` when no answer said how long to wait. */
export function waitAfter(error: unknown): Wait {
  const refusal = comandaError(error);
  if (refusal !== undefined) {
    return [429, 503].includes(refusal.httpStatus) ? (refusal.retryAfterSeconds ?? 'as usual') : undefined;
  }
  // By its looks, as errors are: the client may be another copy's.
  const { cause } = error as { cause?: Partial<StrangeAnswer> };
  if (cause?.name === 'NoConnection') return 'as usual';
  // The answers of proxies while the service behind them is away.
  return [429, 502, 503, 504].includes(cause?.status ?? 0)
    ? (cause?.retryAfterSeconds ?? 'as usual')
    : undefined;
}

/** No connection, or a proxy in the place of a service that is away. */
export function isAway(error: unknown): boolean {
  const { cause } = error as { cause?: Partial<StrangeAnswer> };
  return cause?.name === 'NoConnection' || [502, 503, 504].includes(cause?.status ?? 0);
}

/** A limit is reached, and the answer says until when. */
export function isLimit(error: unknown): boolean {
  const { cause } = error as { cause?: Partial<StrangeAnswer> };
  const status = comandaError(error)?.httpStatus ?? cause?.status;
  return status === 429 && typeof waitAfter(error) === 'number';
}

/** The error that tRPC threw for a call, as the caller gets it. */
export function asCallerError(path: string, error: unknown): TRPCClientError<AppRouter> {
  const failure = TRPCClientError.from<AppRouter>(error as Error);
  const { cause } = failure;
  if (cause instanceof NoConnection)
    return unanswered(path, 'unreachable', `no answer: ${cause.message}`, cause);
  if (cause instanceof StrangeAnswer) return unanswered(path, 'strange', cause.message, cause);
  return quiet(failure);
}

/** The error of a call that the service did not answer. */
export function unanswered(
  path: string,
  kind: NoAnswer,
  message: string,
  cause?: unknown,
): TRPCClientError<AppRouter> {
  const failure = quiet(new TRPCClientError<AppRouter>(`${path}: ${message}`, { cause: cause as Error }));
  return Object.assign(failure, { noAnswer: kind });
}

// A printed error needs neither the whole response nor any part twice.
function quiet<Failure extends Error>(failure: Failure): Failure {
  for (const name of ['meta', 'shape']) Object.defineProperty(failure, name, { enumerable: false });
  return failure;
}
