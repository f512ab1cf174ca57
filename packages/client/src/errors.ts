import { TRPCClientError } from '@trpc/client';
import type { ErrorCode } from './surface.ts';

/** What the service answered to a call that it refused or could not do. */
export interface ComandaError {
  /** One of a few codes to act upon. */
  code: ErrorCode;
  /** The HTTP status that REST answers with for the same refusal. */
  httpStatus: number;
  /** Names the request in the logs of the service: give it when you ask for help. */
  requestId: string;
  /** For a person: what is wrong, field by field where fields are wrong. */
  message: string;
}

/**
 * What the service answered, of whatever a call threw. `undefined` when it did not answer: no connection, a
 * proxy's page, an aborted call; whether a mutation was done is unknown then, so repeat it with its key.
 */
export function comandaError(error: unknown): ComandaError | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const data: unknown = error.data;
  if (!isErrorData(data)) return undefined;
  const { code, httpStatus, requestId } = data;
  return { code, httpStatus, requestId, message: error.message };
}

function isErrorData(data: unknown): data is Omit<ComandaError, 'message'> {
  if (typeof data !== 'object' || data === null) return false;
  const { code, httpStatus, requestId } = data as Record<string, unknown>;
  return typeof code === 'string' && typeof httpStatus === 'number' && typeof requestId === 'string';
}
