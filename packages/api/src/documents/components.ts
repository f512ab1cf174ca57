import type { oas31 } from 'zod-openapi';
import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operations.ts';
import type { OperationMeta } from '../request/meta.ts';
import { IdempotencyKey } from '../wire.ts';

/** Every header that an answer may carry. Specification: Limits; contract: every response. */
export const headers = {
  'X-Request-Id': text('Identifies the request, in the answer, in errors and in our logs.', '01935a3e-7c1f'),
  'X-RateLimit-Limit': count('Requests allowed in the current window.', 600),
  'X-RateLimit-Remaining': count('Requests left in the current window.', 597),
  'X-RateLimit-Reset': count('Unix time in seconds when the window resets.', 1_769_904_360),
  'X-RateLimit-Batch-Limit': count('Batch jobs that may be started in an hour.', 30),
  'X-RateLimit-Batch-Remaining': count('Batch jobs left in this hour.', 29),
  'X-RateLimit-Batch-Reset': count('Unix time in seconds when the hour ends.', 1_769_907_600),
  Location: text('Path of what was created.', '/v2/orders/01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d'),
  'Idempotency-Replayed': text('`true` when this answers an earlier request with the same key.', 'true'),
  ETag: text(
    'Names this answer; it changes with every byte of `data`.',
    '"1769904750250-3f2a9c1b-0f1e2d3c4b5a"',
  ),
  Link: text(
    'With `updated_since` or `cursor`: where to read on, as a `rel="next"` relative to this address.',
    '</v2/orders?limit=50&cursor=eyJlIjoiNWYyYTljMWIiLCJzIjoxNzY5ODE3NjAwMDAwfQ>; rel="next"',
  ),
  'X-Ignored-Fields': text(
    'Fields of the body, and on v1 query parameters, that are unknown and were passed over: ten at most, percent-encoded.',
    'items%5B%5D.qty',
  ),
  'Preference-Applied': text('`handling=strict` when `Prefer: handling=strict` was sent.', 'handling=strict'),
  'Retry-After': count('Seconds to wait before trying again.', 12),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
} as const satisfies Record<string, oas31.HeaderObject>;

/** A header of `headers`. */
export type HeaderName = keyof typeof headers;

const requestLimits: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
const batchLimits: readonly HeaderName[] = [
  'X-RateLimit-Batch-Limit',
  'X-RateLimit-Batch-Remaining',
  'X-RateLimit-Batch-Reset',
];

/** Every error answer: when it is given, with what status, code and headers, and what it may say. */
export const errorResponses = {
  Unreadable: {
    status: 400,
    code: 'invalid_request',
    description: 'The request cannot be read: malformed JSON, invalid UTF-8, broken percent-encoding.',
    message: 'The body cannot be read: malformed JSON.',
    limited: true,
  },
  Unauthorized: {
    status: 401,
    code: 'unauthorized',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    message: 'The API key is missing or not valid.',
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
  Conflict: {
    status: 409,
    code: 'conflict',
    description: 'The request contradicts the current state, or reuses an idempotency key.',
    message: 'The Idempotency-Key was used before with a different body.',
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
    message: 'The body must be application/json.',
    limited: true,
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
  InternalError: {
    status: 500,
    code: 'internal_error',
    description: 'A fault of ours.',
    message: 'Something went wrong on our side.',
    limited: true,
  },
  Unavailable: {
    status: 503,
    code: 'internal_error',
    description: 'The service is not available at the moment, or is being restarted.',
    message: 'The service is not available at the moment; try again shortly.',
    headers: ['Retry-After'],
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
export function errorsOf({ kind, meta }: Pick<Operation, 'kind' | 'meta'>, readsBody: boolean): ErrorName[] {
  return (Object.keys(errorResponses) as ErrorName[]).filter((name) => {
    if (name === 'NotFound') return meta.errors?.includes('resource_not_found') ?? false;
    // Whatever takes an idempotency key refuses one that came with another body.
    if (name === 'Conflict') return kind === 'mutation' || (meta.errors?.includes('conflict') ?? false);
    if (name === 'TooLarge' || name === 'UnsupportedMediaType') return readsBody;
    return true;
  });
}

/** The headers of an operation's successful answer. */
export function successHeaders({ kind, meta }: Pick<Operation, 'kind' | 'meta'>): HeaderName[] {
  const always: HeaderName[] = ['X-Request-Id', ...requestLimits, 'X-Ignored-Fields', 'Preference-Applied'];
  if (meta.status === 201) always.push('Location');
  if (kind === 'mutation') always.push('Idempotency-Replayed');
  if (meta.batch) always.push(...batchLimits);
  if (meta.conditional) always.push('ETag');
  if (meta.changes) always.push('Link');
  return always;
}

/** References to headers, for a response. */
export function headerReferences(names: readonly HeaderName[]): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Unique per logical request, kept for 7 days. The same key with the same body answers the original; ' +
    'with another body it is a `conflict`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  example: IdempotencyKey.meta()?.example,
} as const;

/** What both documents may refer to; what one does not use is dropped from it. */
export const components = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key of the form `cmd_live_…`. It belongs to one location and sees no other.',
    },
  },
  parameters: {
    IdempotencyKey: { ...idempotencyKey, required: true },
    OptionalIdempotencyKey: {
      ...idempotencyKey,
      description: `Makes the call safe to repeat. ${idempotencyKey.description}`,
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of an earlier answer, or several; when it still holds, 304 without a body.',
      schema: { type: 'string' },
      example: '"1769904750250-3f2a9c1b-0f1e2d3c4b5a"',
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
      headers: headerReferences(['X-Request-Id', ...requestLimits, 'ETag']),
    },
  } as Record<string, oas31.ResponseObject>,
} as const;

function errorResponse(
  { description, code, message, headers: own = [], limited }: ErrorResponse,
  batch = false,
) {
  const limits = limited ? [...requestLimits, ...(batch ? batchLimits : [])] : [];
  const names: HeaderName[] = ['X-Request-Id', ...own, ...limits];
  const example = { error: { code, message, request_id: '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d' } };
  return {
    description,
    headers: headerReferences(names),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  };
}

function text(description: string, example: string): oas31.HeaderObject {
  return { description, schema: { type: 'string' }, example };
}

function count(description: string, example: number): oas31.HeaderObject {
  return { description, schema: { type: 'integer' }, example };
}
