import type { ErrorCode } from '../error-codes.ts';

/** The meaning of a code. */
export interface ReasonRow {
  code: ErrorCode;
  /** Where it is not the code's own. */
  status?: number;
  /** The cause, in one sentence. */
  meaning: string;
  /** The remedy of the caller, in one sentence. */
  todo: string;
}

/** A row of what is answered with 503. */
export function notNow(
  meaning: string,
  todo = 'Wait for `Retry-After` seconds, and repeat the request with its idempotency key.',
) {
  return row('internal_error', meaning, todo, 503);
}

/** A row of the table; `status` where it is not the code's own. */
export function row<Code extends ErrorCode>(code: Code, meaning: string, todo: string, status?: number) {
  return { code, meaning, todo, ...(status !== undefined && { status }) };
}
