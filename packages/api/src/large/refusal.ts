import { ApiError, isFault, toApiError } from '../errors.ts';
import type { SentRefusal } from './messages.ts';

/** An error as it passes to another thread. */
export function sentRefusal(thrown: unknown): SentRefusal {
  const refusal = toApiError(thrown);
  const { reason, message, headers, fields, other, since, cause } = refusal;
  const fault = isFault(refusal) ? (cause instanceof Error ? cause : new Error(String(cause))) : undefined;
  return {
    ...{ reason, message, headers, fields, other, since },
    cause: fault && { name: fault.name, message: fault.message, stack: fault.stack },
  };
}

/** The same error in the thread that responds to the caller. */
export function receivedRefusal({ reason, message, cause, since, ...sent }: SentRefusal): ApiError {
  const fault = cause && Object.assign(new Error(cause.message), cause);
  return new ApiError(reason, message, { ...sent, ...(since && { since }), ...(fault && { cause: fault }) });
}
