import type { ErrorData, ErrorDetails, ErrorReason } from './surface.ts';

/**
 * The service's answer to a call that it refused or could not do; `reason` determines which other fields are present:
 * `resourceId` of `external_id_taken`, `retryAfterSeconds` of `minute_limit`. A later service may have reasons that
 * this list has not.
 */
export type ComandaError<Reason extends ErrorReason = ErrorReason> = {
  [Each in Reason]: Said &
    Omit<ErrorData, 'reason' | DetailOf<Each>> &
    Required<Pick<ErrorData, DetailOf<Each>>> & { reason: Each };
}[Reason];

interface Said {
  /** For a person: what is wrong, field by field where fields are wrong. */
  message: string;
  /** A call with this idempotency key was done before, and its answer is given once. */
  replayed: boolean;
}

type DetailOf<Reason> = Reason extends keyof ErrorDetails ? ErrorDetails[Reason] : never;

/**
 * Why there is no answer of the service. `timeout`: none came in time. `aborted`: the call's signal ended it.
 * `unreachable`: no connection, or it broke. `strange`: something else answered, such as a proxy's page.
 */
export type NoAnswer = 'timeout' | 'aborted' | 'unreachable' | 'strange';

/**
 * The service's answer in any error that a call threw; recognized by its shape, so any copy of tRPC may have
 * thrown it. `undefined` when the service did not answer: `noAnswer` says why.
 *
 * @example
 * const refusal = comandaError(error);
 * if (refusal?.reason === 'external_id_taken') console.log('it is there already:', refusal.resourceId);
 */
export function comandaError(error: unknown): ComandaError | undefined {
  if (!isCallError(error) || !isErrorData(error.data)) return undefined;
  const { data, message } = error;
  // The service adds to each reason what its table says.
  return { ...data, message, replayed: data.reason === 'shown_once' } as ComandaError;
}

/**
 * The reason why no answer came, in any error that a call threw; `undefined` for all others. Whether a mutation
 * was done is unknown then: repeat it with the same `idempotencyKey`.
 *
 * @example
 * if (noAnswer(error) === 'timeout') console.log('slow today');
 */
export function noAnswer(error: unknown): NoAnswer | undefined {
  return isCallError(error) ? error.noAnswer : undefined;
}

interface CallError extends Error {
  data?: unknown;
  noAnswer?: NoAnswer;
}

const isCallError = (error: unknown): error is CallError =>
  error instanceof Error && error.name === 'TRPCClientError';

/** By its looks: whether this is what the service says of an error. @internal */
export function isErrorData(data: unknown): data is ErrorData {
  if (typeof data !== 'object' || data === null) return false;
  const { code, httpStatus, requestId, reason, fields } = data as Record<string, unknown>;
  const texts = [code, requestId, reason].every((value) => typeof value === 'string');
  return texts && typeof httpStatus === 'number' && Array.isArray(fields);
}
