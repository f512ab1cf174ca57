import type { oas31 } from 'zod-openapi';
import type { Operation, Route } from '../call/operations.ts';
import { unauthorizedMessage } from '../errors.ts';
import { reasons, reasonsOf } from '../reasons.ts';
import {
  batchLimits,
  besides,
  type HeaderName,
  headerReferences,
  headers,
  requestLimits,
  text,
} from './headers.ts';

interface ErrorRow {
  /** Its name in `components.responses`. */
  name: string;
  description: string;
  /** The message of the example. */
  message: string;
  headers?: readonly HeaderName[];
  /** It comes before authentication, so that it shows no limits of a key. */
  early?: true;
}

/** Every error answer by its status: when it is given, with what headers, and what it may say. */
const rows: Readonly<Record<number, ErrorRow>> = {
  400: {
    name: 'Unreadable',
    description:
      'The request cannot be read: malformed JSON, invalid UTF-8, broken percent-encoding, a header twice that may come once, an invalid `Host`.',
    message: 'The body cannot be read: malformed JSON.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    message: unauthorizedMessage,
    headers: ['WWW-Authenticate'],
    early: true,
  },
  403: {
    name: 'PermissionDenied',
    description: 'The API key lacks the permission; the message names it.',
    message: 'The key lacks the permission orders:write.',
  },
  404: {
    name: 'NotFound',
    description: 'There is no such resource at the location of the key.',
    message: 'Order not found',
  },
  405: {
    name: 'WrongMethod',
    description: 'The path does not take this method.',
    message: 'PUT is not allowed here.',
    headers: ['Allow'],
    early: true,
  },
  408: {
    name: 'TooSlow',
    description: 'Headers not there within 5 s, or the whole request within 7.5 s; the connection is closed.',
    message: 'The request did not arrive in time.',
    early: true,
  },
  409: {
    name: 'Conflict',
    description:
      'The request contradicts the current state, or reuses an idempotency key. `Retry-After` says when that ends, where it is known.',
    message: 'The Idempotency-Key was used before with a different body.',
  },
  412: {
    name: 'PreconditionFailed',
    description: '`If-Match` names another state than the resource has, or there is nothing that has a tag.',
    message:
      'The resource was changed since it was read: its tag is another one. Read it again, and repeat the change with the present tag.',
    headers: ['ETag'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than 1 MiB (8 MiB for batch operations).',
    message: 'The body has more than 1048576 bytes.',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not `application/json` in UTF-8.',
    message: 'The body must be application/json in UTF-8, and its Content-Type is text/plain.',
    headers: ['Accept', 'Accept-Encoding'],
  },
  417: {
    name: 'ExpectationFailed',
    description: 'The request has an `Expect` other than `100-continue`.',
    message: 'No expectation but 100-continue is met.',
    early: true,
  },
  422: {
    name: 'Invalid',
    description: 'Body, query or a required header fails validation; the message names each failing field.',
    message: 'items[0].quantity: must be a number',
  },
  428: {
    name: 'PreconditionRequired',
    description: 'The write needs an `If-Match` with the tag that was read.',
    message: 'An edit of lines needs If-Match with the tag that was read.',
  },
  429: {
    name: 'RateLimited',
    description: 'A limit of the key is used up.',
    message: 'The limit of 600 requests a minute is used up.',
    headers: ['Retry-After'],
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The headers have more than 16 KiB, or are more than 100.',
    message: 'The headers are too large.',
    early: true,
  },
  500: {
    name: 'InternalError',
    description: 'A fault of the service.',
    message: 'Something went wrong on our side.',
  },
  501: {
    name: 'UnknownTransferCoding',
    description: 'The body comes in a transfer coding other than `chunked`; the connection is closed.',
    message: 'The body must come as it is, or chunked.',
    early: true,
  },
  503: {
    name: 'Unavailable',
    description: 'The service is not available at the moment, or is being restarted.',
    message: 'The service is not available at the moment; try again shortly.',
    headers: ['Retry-After'],
  },
  505: {
    name: 'UnknownHttpVersion',
    description: 'The request line names another version of HTTP than 1.1 or 1.0; the connection is closed.',
    message: 'The request must be of HTTP/1.1 or HTTP/1.0.',
    early: true,
  },
};

/** The statuses of the errors that an operation can answer over REST. */
export function errorsOf(
  { kind, meta }: Pick<Operation, 'kind' | 'meta'>,
  { method, version }: Pick<Route, 'method' | 'version'>,
): number[] {
  const isGiven = (status: number): boolean => {
    if (status === 404) return meta.errors?.includes('resource_not_found') ?? false;
    // An operation that takes an idempotency key refuses one that came with another body.
    if (status === 409) return kind === 'mutation' || (meta.errors?.includes('conflict') ?? false);
    // v1 ignores a precondition where the resource has no tag.
    if (status === 412) return version === 'v2' || meta.tag !== undefined;
    if (status === 428) return meta.asksForTag ?? false;
    return (status !== 413 && status !== 415) || method !== 'GET';
  };
  return Object.keys(rows).map(Number).filter(isGiven);
}

/** Ends the names of the error answers of batch operations, which show the batch limits, too. */
const ofBatch = 'OfBatch';

/** The answers of an operation that are no success, by status. */
export function errorReferences(operation: Operation, route: Route): Record<string, oas31.ReferenceObject> {
  const { conditional, batch } = operation.meta;
  const errors = errorsOf(operation, route).map((status): [number, string] => {
    const { name, early } = rows[status] as ErrorRow;
    return [status, batch && !early ? name + ofBatch : name];
  });
  const names: [number, string][] = conditional ? [[304, 'NotModified'], ...errors] : errors;
  return Object.fromEntries(
    names.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** The answers that operations refer to, by name. */
export const errorResponses: Readonly<Record<string, oas31.ResponseObject>> = {
  ...Object.fromEntries(
    Object.entries(rows).flatMap(([status, row]) => [
      [row.name, errorResponse(Number(status), row, false)],
      [row.name + ofBatch, errorResponse(Number(status), row, true)],
    ]),
  ),
  NotModified: {
    description: 'The caller has this answer already: `If-None-Match` names its `ETag`.',
    headers: headerReferences(['X-Request-Id', ...requestLimits, 'X-Comanda-Simulated', 'ETag']),
  },
};

function errorResponse(
  status: number,
  { description, message, headers: own = [], early }: ErrorRow,
  batch: boolean,
): oas31.ResponseObject {
  const [reason] = reasonsOf(status);
  if (reason === undefined) throw new Error(`the status ${status} has no reason`);
  const admitted = early ? [] : [...requestLimits, ...(batch ? batchLimits : []), ...besides];
  const error = { code: reasons[reason].code, message, request_id: '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d' };
  return {
    description,
    headers: { ...headerReferences(['X-Request-Id', ...own, ...admitted]), ...reasonHeaders(status) },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error } } },
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
