import { isUnavailable, means, type SqlState, sqlState, UnwantedError } from '@comanda/db';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { mostFaults } from './lists.ts';
import { type ErrorCode, errorCodes, type Reason, type ReasonOf, reasons, statusOf } from './reasons.ts';
import { sentence } from './sentences.ts';
import { ErrorCode as ErrorCodeShape } from './wire.ts';

z.config({ customError: sentence });

/** The body of every error, as the specification's error envelope. */
export const ErrorBody = z
  .object({
    error: z
      .strictObject({
        code: ErrorCodeShape,
        message: z.string().meta({ description: 'A description of the error.' }),
        request_id: z.string().meta({ description: 'The id of the request, as in `X-Request-Id`.' }),
      })
      .meta({ id: 'ErrorDetails', description: 'The error, for a program and for a person.' }),
  })
  .strict()
  .meta({ id: 'Error', description: 'The body of every error.' });

/** One failing field: its path as the caller wrote it, and what is wrong. */
export interface FieldFault {
  path: string;
  message: string;
  /** `invalid_field` unless said. */
  reason?: ReasonOf<'validation_error'>;
}

/** The resource that has what was asked for. */
export interface OtherResource {
  /** Where REST has the resource: `/v2/orders/{id}`. */
  collection?: 'orders' | 'products' | 'categories';
  id: string;
}

interface ErrorDetails {
  /** Go out with the answer. */
  headers?: Record<string, string>;
  cause?: unknown;
  fields?: readonly FieldFault[];
  other?: OtherResource | undefined;
  since?: Date;
}

/** A refusal or fault that is reported to the caller. Everything else leaves as `internal`, unexplained. */
export class ApiError extends TRPCError {
  readonly reason: Reason;
  /** The code of the specification; `code` is tRPC's own. */
  readonly errorCode: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The failing fields, ten at most. */
  readonly fields: readonly FieldFault[];
  readonly other: OtherResource | undefined;
  /** The moment to restart from, where there is one. */
  readonly since: Date | undefined;

  constructor(
    reason: Reason,
    message: string,
    { headers = {}, cause, fields = [], other, since }: ErrorDetails = {},
  ) {
    const { code } = reasons[reason];
    // A refusal is an answer: nothing reads its stack, which costs a tenth of a 401.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super({ code: errorCodes[code].trpc, message, cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.reason = reason;
    this.errorCode = code;
    this.status = statusOf(reason);
    this.headers = headers;
    this.fields = fields;
    this.other = other;
    this.since = since;
  }
}

/** Whether the fault needs a person's attention: overload does not. */
export const isFault = ({ errorCode, cause }: ApiError): boolean =>
  errorCode === 'internal_error' && cause !== undefined;

/** A 404 that names the kind of resource, never whether another location has it. */
export const notFound = (resource: string): ApiError => new ApiError('not_found', `${resource} not found`);

/** A 405 at a known path. `allowed` as `Allow` lists them. */
export function methodNotAllowed(method: string, allowed: string): ApiError {
  const isOtherCase = method !== method.toUpperCase();
  const why = isOtherCase ? ': methods are written in upper case' : '';
  return new ApiError('method_not_allowed', `${method} is not allowed here${why}.`, {
    headers: { Allow: allowed },
  });
}

/** A 409; `other` is the resource that is in the way. */
export const conflict = (reason: ReasonOf<'conflict'>, message: string, other?: OtherResource): ApiError =>
  new ApiError(reason, message, { other });

/** A 503: what cannot be done now can be in `seconds`. */
export const unavailable = (
  reason: 'temporarily_unavailable' | 'location_busy' | 'location_read_only' | 'moved',
  message: string,
  { seconds = 5, cause }: { seconds?: number; cause?: unknown } = {},
): ApiError => new ApiError(reason, message, { headers: { 'Retry-After': String(seconds) }, cause });

/** The refusal of a write that met what another resource had, and has no longer. */
export const takenUntilNow = (name: string, cause: unknown): ApiError =>
  unavailable('temporarily_unavailable', `${name} was taken until now; try again.`, { seconds: 1, cause });

/** The refusal of a location that is not active: of its status, or `moved`. */
export function locationRefused(status: string, cause?: unknown): ApiError {
  if (status === 'moved') {
    const said = 'The location of the key moved to another database; try again shortly.';
    return unavailable('moved', said, { seconds: 2, cause });
  }
  return status === 'read_only'
    ? unavailable('location_read_only', 'The location only answers reads at the moment.', {
        seconds: 30,
        cause,
      })
    : new ApiError('location_disabled', 'The location of the key is disabled.', { cause });
}

/** The one message of a 401, for every fault of the key. */
export const unauthorizedMessage =
  'The API key is missing or not valid. Send it as the header Authorization: Bearer <key>.';

export const unauthorized = (reason: ReasonOf<'unauthorized'>): ApiError =>
  new ApiError(reason, unauthorizedMessage, {
    // RFC 6750, 3.1: without a credential no error is named.
    headers: {
      'WWW-Authenticate': reason === 'key_missing' ? 'Bearer' : 'Bearer error="invalid_token"',
    },
  });

/**
 * A 422 that names every failing field by its path, at most ten; its reason is that of the first. `isWhole` is false
 * where the search for faults stopped before its end, so that their number is not known.
 */
export function invalid(given: FieldFault | readonly FieldFault[], isWhole = true): ApiError {
  const faults: readonly FieldFault[] = 'path' in given ? [given] : given;
  const fields = faults.slice(0, mostFaults);
  const shown = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const left = faults.length - fields.length;
  const more = isWhole ? (left > 0 ? `; and ${left} more` : '') : '; and more';
  return new ApiError(faults[0]?.reason ?? 'invalid_field', shown.join('; ') + more, { fields });
}

/** `['items', 0, 'quantity']` as `items[0].quantity`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/**
 * The error that the caller gets for any error thrown on the way: the one place where causes become reasons.
 * zod issues → `invalid_field`; a refusal by Postgres → its reason; an unreachable database → 503; the rest →
 * `internal` with a fixed sentence.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // No caller reads it: the log and the metrics count no fault.
  if (error instanceof UnwantedError)
    return new ApiError('unreadable_request', 'The caller left before its answer.');
  if (error instanceof TRPCError) {
    if (error.cause instanceof ApiError) return error.cause;
    if (error.cause instanceof z.core.$ZodError && error.code === 'BAD_REQUEST') return fromZod(error.cause);
    const known = fromTrpc[error.code];
    if (known !== undefined) return new ApiError(known, error.message, { cause: error });
    if (error.cause !== undefined && error.code === 'INTERNAL_SERVER_ERROR') return toApiError(error.cause);
  }
  return (
    fromDatabase(error) ?? new ApiError('internal', 'Something went wrong on our side.', { cause: error })
  );
}

/** A zod failure, reported field by field: of a field that fails in several ways, the first. */
export function fromZod(error: z.core.$ZodError): ApiError {
  const faults = new Map<string, string>();
  for (const { path, message } of error.issues.flatMap(chosenOf)) {
    const name = fieldPath(path);
    if (!faults.has(name)) faults.set(name, name === '' ? `The input ${message}.` : message);
  }
  return invalid(
    Array.from(faults, ([path, message]) => ({ path, message })),
    error.issues.length <= mostFaults,
  );
}

// Of what fits none of several forms: what is wrong by the form that it comes nearest to, the one that fails deepest.
function chosenOf(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [nearest] = issue.errors.toSorted((one, other) => depth(other) - depth(one));
  if (nearest === undefined) return [issue];
  return nearest.flatMap(chosenOf).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

const depth = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0);

// Refusals of tRPC itself.
const fromTrpc: Partial<Record<TRPCError['code'], Reason>> = {
  BAD_REQUEST: 'unreadable_request',
  PARSE_ERROR: 'unreadable_body',
  PAYLOAD_TOO_LARGE: 'body_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  NOT_FOUND: 'unknown_path',
};

function fromDatabase(cause: unknown): ApiError | undefined {
  const state: Partial<SqlState> = sqlState(cause) ?? {};
  const { code = '', message = '' } = state;
  // Besides: ended for taking too long.
  if (isUnavailable(cause) || means(code, 'canceled')) {
    const said = 'The service is not available at the moment; try again shortly.';
    return unavailable('temporarily_unavailable', said, { cause });
  }
  if (means(code, 'notActive')) return locationRefused(state.detail ?? '', cause);
  // The key was deleted by hand while the request was under way.
  if (means(code, 'referenced') && state.constraint === 'idempotency_keys_location_id_api_key_id_fkey')
    return unauthorized('key_not_valid');
  // Both say what is the matter.
  if (means(code, 'illegalMove')) return new ApiError('illegal_move', message, { cause });
  if (means(code, 'guarded')) return new ApiError('guarded', message, { cause });
  return undefined;
}
