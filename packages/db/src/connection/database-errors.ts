import { means, type StateMeaning } from './sql-states.ts';

/** The fields that PostgreSQL reports of an error. */
export interface SqlState {
  code: string;
  table?: string;
  column?: string;
  constraint?: string;
  detail?: string;
  message: string;
}

/** The SQLSTATE of an error from PostgreSQL, straight from the driver or through Prisma. */
export function sqlState(error: unknown): SqlState | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, originalCode, table, column, constraint, detail, message, cause, meta } = error as Record<
    string,
    unknown
  >;
  // Prisma's own codes (P2002) look like SQLSTATEs but are none; the driver's code is in the error's cause.
  const state = [originalCode, code].find(
    (text) => typeof text === 'string' && /^[0-9A-Z]{5}$/.test(text) && !/^P[1-9]\d{3}$/.test(text),
  );
  if (typeof state === 'string') {
    return {
      code: state,
      message: typeof message === 'string' ? message : '',
      ...(typeof table === 'string' && { table }),
      ...(typeof column === 'string' && { column }),
      ...(typeof constraint === 'string' && { constraint }),
      ...(typeof detail === 'string' && { detail }),
    };
  }
  const driverError = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  return sqlState(driverError) ?? (cause === undefined ? undefined : sqlState(cause));
}

/** Whether an error from PostgreSQL means one of these. */
export const isState = (error: unknown, ...meanings: readonly StateMeaning[]): boolean =>
  means(sqlState(error)?.code, ...meanings);

/** Whether the database refuses to be written to, as a standby does. */
export const isReadOnly = (error: unknown): boolean => isState(error, 'readOnly');

/**
 * Whether an error is transient: the database is away, read-only, starting, stopping or overloaded, its disk fails
 * it, two transactions met and one was rolled back, or ours lay idle for too long, as when we were frozen. A caller
 * that gets one waits and repeats the same work.
 */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause, meta, errors } = error as Record<string, unknown>;
  if (typeof code === 'string' && (networkCodes.test(code) || prismaCodes.test(code))) return true;
  const state = sqlState(error);
  if (state !== undefined) return means(state.code, ...passing);
  if (typeof message === 'string' && messages.test(message)) return true;
  if (Array.isArray(errors)) return errors.some(isUnavailable);
  return (
    isUnavailable(cause) ||
    isUnavailable((meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError)
  );
}

// Connections, a server that does not let us write (every failover has such a moment), a transaction left idle, rollbacks
// by conflict, resources (a full disk is one), locks, stop and start of the server, and what the system refuses it.
const passing = [
  ...(['disconnected', 'readOnly', 'leftIdle', 'rolledBack', 'exhausted'] as const),
  ...(['lockTimeout', 'goingDown', 'systemFailed'] as const),
] as const;
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const prismaCodes = /^P(1001|1002|1008|1017|2024|2028|2034)$/;
const messages =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|can't reach database/i;
