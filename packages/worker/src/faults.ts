/**
 * Whether an error passes by itself: the database is away or overloaded, or two transactions met. Whoever
 * gets one waits and does the same again; any other error would only come back.
 */
export function isPassing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause, errors } = error as Record<string, unknown>;
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return passingStates.test(code);
  if (typeof code === 'string' && passingCodes.test(code)) return true;
  if (typeof message === 'string' && passingMessages.test(message)) return true;
  if (Array.isArray(errors)) return errors.some(isPassing);
  return cause !== undefined && isPassing(cause);
}

/** Waits for the backoff after the n-th failure in a row: 100 ms, 200 ms … 5 s. */
export function backoffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(failures - 1, 10));
}

// Connections, rollbacks by conflict, resources, locks, shutdown and start of the server.
const passingStates = /^(08...|40...|53...|55P03|57P0[1-5])$/;
const passingCodes =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const passingMessages =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|client was closed/i;
