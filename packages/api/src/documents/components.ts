import type { oas31 } from 'zod-openapi';
import { unauthorizedMessage } from '../errors.ts';
import { type ErrorCode, reasonsOf } from '../reasons.ts';
import type { OperationMeta } from '../request/meta.ts';
import type { Operation, Route } from '../request/operations.ts';
import { IdempotencyKey } from '../wire.ts';
import {
  batchLimits,
  besides,
  type HeaderName,
  headerReferences,
  headers,
  requestLimits,
  text,
} from './headers.ts';
import { simulateParameters } from './simulate.ts';

/** Every error answer: when it is given, with what status, code and headers, and what it may say. */
export const errorResponses = {
  Unreadable: {
    status: 400,
    code: 'invalid_request',
    description:
      'The request cannot be read: malformed JSON, invalid UTF-8, broken percent-encoding, a header twice that may come once, an invalid `Host`.',
    message: 'The body cannot be read: malformed JSON.',
    limited: true,
  },
  Unauthorized: {
    status: 401,
    code: 'unauthorized',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    message: unauthorizedMessage,
    headers: ['WWW-Authenticate'],
  },
  PermissionDenied: {
    status: 403,
    code: 'permission_denied',
    description: 'The API key lacks the permission; the message names it.',
    message: 'The key lacks the permission orders:write.',
    limited: true,
  },
  NotFound: {
    status: 404,
    code: 'resource_not_found',
    description: 'There is no such resource at the location of the key.',
    message: 'Order not found',
    limited: true,
  },
  WrongMethod: {
    status: 405,
    code: 'invalid_request',
    description: 'The path does not take this method.',
    message: 'PUT is not allowed here.',
    headers: ['Allow'],
  },
  TooSlow: {
    status: 408,
    code: 'invalid_request',
    description: 'Headers not there within 5 s, or the whole request within 7.5 s; the connection is closed.',
    message: 'The request did not arrive in time.',
  },
  Conflict: {
    status: 409,
    code: 'conflict',
    description: 'The request contradicts the current state, or reuses an idempotency key.',
    message: 'The Idempotency-Key was used before with a different body.',
    limited: true,
  },
  PreconditionFailed: {
    status: 412,
    code: 'invalid_request',
    description: '`If-Match` names another state than the resource has, or there is nothing that has a tag.',
    message:
      'The resource was changed since it was read: its tag is another one. Read it again, and repeat the change with the present tag.',
    headers: ['ETag'],
    limited: true,
  },
  TooLarge: {
    status: 413,
    code: 'invalid_request',
    description: 'The body is larger than 1 MiB (8 MiB for batch operations).',
    message: 'The body has more than 1048576 bytes.',
    limited: true,
  },
  UnsupportedMediaType: {
    status: 415,
    code: 'invalid_request',
    description: 'The body is not `application/json` in UTF-8.',
    message: 'The body must be application/json in UTF-8, and its Content-Type is text/plain.',
    headers: ['Accept', 'Accept-Encoding'],
    limited: true,
  },
  ExpectationFailed: {
    status: 417,
    code: 'invalid_request',
    description: 'The request has an `Expect` other than `100-continue`.',
    message: 'No expectation but 100-continue is met.',
  },
  Invalid: {
    status: 422,
    code: 'validation_error',
    description: 'Body, query or a required header fails validation; the message names each failing field.',
    message: 'items[0].quantity: must be a number',
    limited: true,
  },
  RateLimited: {
    status: 429,
    code: 'rate_limited',
    description: 'A limit of the key is used up.',
    message: 'The limit of 600 requests a minute is used up.',
    headers: ['Retry-After'],
    limited: true,
  },
  HeadersTooLarge: {
    status: 431,
    code: 'invalid_request',
    description: 'The headers have more than 16 KiB, or are more than 100.',
    message: 'The headers are too large.',
  },
  InternalError: {
    status: 500,
    code: 'internal_error',
    description: 'A fault of the service.',
    message: 'Something went wrong on our side.',
    limited: true,
  },
  UnknownTransferCoding: {
    status: 501,
    code: 'invalid_request',
    description: 'The body comes in a transfer coding other than `chunked`; the connection is closed.',
    message: 'The body must come as it is, or chunked.',
  },
  Unavailable: {
    status: 503,
    code: 'internal_error',
    description: 'The service is not available at the moment, or is being restarted.',
    message: 'The service is not available at the moment; try again shortly.',
    headers: ['Retry-After'],
    limited: true,
  },
  UnknownHttpVersion: {
    status: 505,
    code: 'invalid_request',
    description: 'The request line names another version of HTTP than 1.1 or 1.0; the connection is closed.',
    message: 'The request must be of HTTP/1.1 or HTTP/1.0.',
  },
} as const satisfies Record<string, ErrorResponse>;

/** The name of an error answer, as `components.responses` has it. */
export type ErrorName = keyof typeof errorResponses;

interface ErrorResponse {
  status: number;
  code: ErrorCode;
  description: string;
  /** The message of the example. */
  message: string;
  headers?: readonly HeaderName[];
  /** It comes after authentication, so that it shows the limits of the key. */
  limited?: true;
}

/** Ends the names of the error answers of batch operations, which show the batch limits, too. */
const ofBatch = 'OfBatch';

/** The component that an operation's error answer is. */
export const responseName = (name: ErrorName, { batch }: OperationMeta): string =>
  batch && 'limited' in errorResponses[name] ? name + ofBatch : name;

/** The error answers that an operation can give over REST, in the order of their statuses. */
export function errorsOf(
  { kind, meta }: Pick<Operation, 'kind' | 'meta'>,
  { method, version }: Pick<Route, 'method' | 'version'>,
): ErrorName[] {
  const readsBody = method !== 'GET';
  return (Object.keys(errorResponses) as ErrorName[]).filter((name) => {
    if (name === 'NotFound') return meta.errors?.includes('resource_not_found') ?? false;
    // An operation that takes an idempotency key refuses one that came with another body.
    if (name === 'Conflict') return kind === 'mutation' || (meta.errors?.includes('conflict') ?? false);
    // v1 ignores a precondition where the resource has no tag.
    if (name === 'PreconditionFailed') return version === 'v2' || meta.tag !== undefined;
    if (name === 'TooLarge' || name === 'UnsupportedMediaType') return readsBody;
    return true;
  });
}

// Optional headers have no example, because some clients send every header that has one.
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Unique per logical request, kept for 7 days. The same key with the same body returns the original; ' +
    'with another body it is a `conflict`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
} as const;

/** The components that both documents may refer to; a component that one does not use is dropped from it. */
export const components = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key of the form `cmd_live_<code>_…`, or `cmd_test_<code>_…` of a sandbox; take it whole, as it is. It belongs to one location and sees no other.',
    },
  },
  parameters: {
    IdempotencyKey: { ...idempotencyKey, required: true, example: IdempotencyKey.meta()?.example },
    OptionalIdempotencyKey: {
      ...idempotencyKey,
      description: `Makes the call safe to repeat. ${idempotencyKey.description}`,
    },
    Prefer: {
      name: 'Prefer',
      in: 'header',
      description:
        '`handling=strict` refuses unknown fields of the body and unknown query parameters with a `validation_error`; ' +
        '`Preference-Applied` says so. Other preferences are ignored.',
      schema: { type: 'string' },
    },
    ...simulateParameters,
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      description:
        'The `ETag` of the resource as it was read (`"01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d-1769904750250"`), or several: the change is made only when ' +
        'one is the present tag, else 412. `*`: when it exists.',
      schema: { type: 'string' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of an earlier answer, or several; when it still holds, 304 without a body.',
      schema: { type: 'string' },
    },
  },
  headers,
  responses: {
    ...Object.fromEntries(
      Object.entries<ErrorResponse>(errorResponses).flatMap(([name, row]) => [
        [name, errorResponse(row)],
        [`${name}${ofBatch}`, errorResponse(row, true)],
      ]),
    ),
    NotModified: {
      description: 'The caller has this answer already: `If-None-Match` names its `ETag`.',
      headers: headerReferences(['X-Request-Id', ...requestLimits, 'X-Comanda-Simulated', 'ETag']),
    },
  } as Record<string, oas31.ResponseObject>,
} as const;

function errorResponse(
  { status, description, code, message, headers: own = [], limited }: ErrorResponse,
  batch = false,
) {
  const admitted = limited ? [...requestLimits, ...(batch ? batchLimits : []), ...besides] : [];
  const names: HeaderName[] = ['X-Request-Id', ...own, ...admitted];
  const example = { error: { code, message, request_id: '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d' } };
  return {
    description,
    headers: { ...headerReferences(names), ...reasonHeaders(status) },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  };
}

// Each status has reasons of its own.
function reasonHeaders(status: number): Record<string, oas31.HeaderObject> {
  const reasons = reasonsOf(status);
  const [example = ''] = reasons;
  return {
    'X-Error-Reason': {
      description: 'Why, to switch on; more may join.',
      schema: { type: 'string', enum: reasons },
      example,
    },
    Link: text('Where the reason is explained.', `</docs/errors#${example}>; rel="help"`),
    ...(status === 409 && {
      Location: text(
        'Of a taken `external_id` or `sku`: path of the resource that has it.',
        headers.Location.example,
      ),
    }),
    ...(status === 422 && {
      'X-Error-Fields': text(
        'The paths of the fields that fail, in the order of the message: percent-encoded, ten at most, in 1 KiB.',
        'items%5B0%5D.quantity, channel',
      ),
      'X-Error-Since': text('Of `cursor_not_restored`: what to give as `since`.', '2026-01-31T12:00:00.000Z'),
    }),
  };
}
