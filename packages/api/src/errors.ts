import { isUnavailable, sqlState } from '@comanda/db';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';

/** The error codes of the specification, with the HTTP status and the tRPC code each leaves with by default. */
export const errorCodes = {
  invalid_request: {
    status: 400,
    trpc: 'BAD_REQUEST',
    meaning: 'the request cannot be read; also 405, 408, 413, 415, 417, 431',
  },
  unauthorized: {
    status: 401,
    trpc: 'UNAUTHORIZED',
    meaning: 'missing, malformed, unknown, expired or revoked key',
  },
  permission_denied: { status: 403, trpc: 'FORBIDDEN', meaning: 'the key lacks the permission' },
  resource_not_found: {
    status: 404,
    trpc: 'NOT_FOUND',
    meaning: 'no such path or resource at this location',
  },
  conflict: { status: 409, trpc: 'CONFLICT', meaning: 'the request contradicts the current state' },
  validation_error: {
    status: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    meaning: 'body, query or required header fails validation; the message names each field',
  },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS', meaning: 'a limit is used up; see Retry-After' },
  internal_error: {
    status: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    meaning: 'a fault of ours; 503 with Retry-After: not available now',
  },
} as const satisfies Record<string, { status: number; trpc: TRPCError['code']; meaning: string }>;

/** An error code of the specification. */
export type ErrorCode = keyof typeof errorCodes;

/** The body of every error, as the specification's error envelope. */
export const ErrorBody = z
  .object({
    error: z.strictObject({
      code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      request_id: z.string(),
    }),
  })
  .strict()
  .meta({ id: 'Error', description: 'The body of every error.' });

/** The limit that a `rate_limited` request met. */
export type LimitKind = 'minute' | 'month' | 'batch_hour';

/** A refusal or fault that the caller is told of. Everything else leaves as `internal_error`, unexplained. */
export class ApiError extends TRPCError {
  readonly reason: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: LimitKind | undefined;

  /** `status` replaces the code's own (405, 413, 415, 503); `headers` go out with the answer; `limit` is counted. */
  constructor(
    reason: ErrorCode,
    message: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown; limit?: LimitKind } = {},
  ) {
    super({ code: errorCodes[reason].trpc, message, cause: options.cause });
    this.name = 'ApiError';
    this.reason = reason;
    this.status = options.status ?? errorCodes[reason].status;
    this.headers = options.headers ?? {};
    this.limit = options.limit;
  }
}

/** Whether something went wrong that somebody should look at: not when we only have too much to do. */
export const isFault = ({ reason, cause }: ApiError): boolean =>
  reason === 'internal_error' && cause !== undefined;

/** A 404 that names the kind of resource, never whether another location has it. */
export const notFound = (resource: string): ApiError =>
  new ApiError('resource_not_found', `${resource} not found`);

/** A 409 with the reason. */
export const conflict = (message: string): ApiError => new ApiError('conflict', message);

/** One failing field: its path as the caller wrote it, and what is wrong. */
export interface FieldFault {
  path: string;
  message: string;
}

/** A 422 that names every failing field by its path, at most ten. */
export function invalid(...faults: FieldFault[]): ApiError {
  const shown = faults
    .slice(0, 10)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = faults.length > shown.length ? `; and ${faults.length - shown.length} more` : '';
  return new ApiError('validation_error', shown.join('; ') + more);
}

/** `['items', 0, 'quantity']` as `items[0].quantity`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/**
 * What the caller is told of any error thrown on the way: the one place where causes become codes.
 * zod issues → `validation_error`; a refusal by Postgres → its code; an unreachable database → 503;
 * the rest → `internal_error` with a fixed sentence.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TRPCError) {
    if (error.cause instanceof ApiError) return error.cause;
    if (error.cause instanceof z.core.$ZodError && error.code === 'BAD_REQUEST') return fromZod(error.cause);
    const known = fromTrpc[error.code];
    if (known !== undefined) {
      const [reason, status] = known;
      return new ApiError(reason, error.message, { ...(status !== undefined && { status }), cause: error });
    }
    if (error.cause !== undefined && error.code === 'INTERNAL_SERVER_ERROR') return toApiError(error.cause);
  }
  return (
    fromDatabase(error) ??
    new ApiError('internal_error', 'Something went wrong on our side.', { cause: error })
  );
}

/** A zod failure, told field by field: of a field that fails in several ways, the first. */
export function fromZod(error: z.core.$ZodError): ApiError {
  const faults = new Map<string, string>();
  for (const { path, message } of error.issues) {
    const name = fieldPath(path);
    if (!faults.has(name)) faults.set(name, message);
  }
  return invalid(...[...faults].map(([path, message]) => ({ path, message })));
}

// What tRPC itself refuses, with the status where it is not the code's own.
const fromTrpc: Partial<Record<TRPCError['code'], [ErrorCode, status?: number]>> = {
  BAD_REQUEST: ['invalid_request'],
  PARSE_ERROR: ['invalid_request'],
  PAYLOAD_TOO_LARGE: ['invalid_request', 413],
  UNSUPPORTED_MEDIA_TYPE: ['invalid_request', 415],
  METHOD_NOT_SUPPORTED: ['invalid_request', 405],
  NOT_FOUND: ['resource_not_found'],
};

function fromDatabase(error: unknown): ApiError | undefined {
  const state = sqlState(error);
  if (isUnavailable(error) || tookTooLong.test(state?.code ?? '')) {
    return new ApiError('internal_error', 'The service is not available at the moment; try again shortly.', {
      status: 503,
      headers: { 'Retry-After': '5' },
      cause: error,
    });
  }
  // An illegal move, or something that a guard keeps as it is; both say what is the matter.
  if (state?.code === 'CM001' || state?.code === 'CM008')
    return new ApiError('conflict', state.message, { cause: error });
  return undefined;
}

// Ended for taking too long: a statement, or a transaction that was left idle.
const tookTooLong = /^(57014|25P0[34])$/;
