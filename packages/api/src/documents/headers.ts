import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { beginningsIn } from '../moments.ts';
import type { Operation } from '../request/operations.ts';
import { faults } from '../request/simulation.ts';

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
  'Idempotency-Replayed': text(
    '`true` when this is the answer to an earlier request with the same key.',
    'true',
  ),
  ETag: text(
    'Of a resource: names its state, for `If-Match`; of the answer of a repeat there is none. Where the operation takes `If-None-Match` it changes with every byte of `data`, and ends in `-gzip` when that came so.',
    '"1769904750250-3f2a9c1b-0f1e2d3c4b5a"',
  ),
  Link: text(
    'Of a list that goes on, and always with `updated_since` or `cursor`: the next page, as a `rel="next"` relative to this address. Of what is deprecated: how to move.',
    '</v2/orders?limit=50&cursor=eyJlIjoiNWYyYTljMWIiLCJzIjoxNzY5ODE3NjAwMDAwfQ>; rel="next"',
  ),
  Deprecation: text('Of what is deprecated: since when, in Unix time.', '@1803859200'),
  Sunset: text('Of what will end: until when it is served for certain.', 'Thu, 01 Mar 2029 00:00:00 GMT'),
  'X-Ignored-Fields': text(
    'Fields of the body, and on v1 query parameters, that are unknown and were ignored: ten at most, percent-encoded.',
    'items%5B%5D.qty',
  ),
  'X-Read-As-Now': text(
    'The moment to read from was ahead of our clock, by five minutes at most, and was read as this one, which is now.',
    'updated_since=2026-01-31T21:05:09.120Z',
  ),
  'X-Hidden-Event-Types': text(
    'The event types that are left out, since the key lacks their permission.',
    'payment.created, payment.updated',
  ),
  'Preference-Applied': text('`handling=strict` when `Prefer: handling=strict` was sent.', 'handling=strict'),
  'X-Comanda-Simulated': {
    ...text('Of a sandbox: the fault that was played.', 'slow'),
    schema: { type: 'string', enum: Object.keys(faults) },
  },
  Allow: text('The methods that this path takes.', 'GET, HEAD, POST'),
  'Retry-After': count('Seconds to wait before trying again.', 12),
  'WWW-Authenticate': text(
    'How to authenticate; with `error="invalid_token"` when a key came.',
    'Bearer error="invalid_token"',
  ),
  Accept: text('The media type that a body may have, when it had another one.', 'application/json'),
  'Accept-Encoding': text('`identity` when the body was encoded, as by gzip.', 'identity'),
} as const satisfies Record<string, oas31.HeaderObject>;

/** A header of `headers`. */
export type HeaderName = keyof typeof headers;

/** The rate-limit headers of every answer to a known key. */
export const requestLimits: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
/** The headers that name unknown names and a fault that was played. */
export const besides: readonly HeaderName[] = [
  'X-Ignored-Fields',
  'Preference-Applied',
  'X-Comanda-Simulated',
];
/** The additional headers of a batch operation. */
export const batchLimits: readonly HeaderName[] = [
  'X-RateLimit-Batch-Limit',
  'X-RateLimit-Batch-Remaining',
  'X-RateLimit-Batch-Reset',
];

/** The headers of an operation's successful answer. */
export function successHeaders({
  kind,
  meta,
  input,
  output,
  isList,
}: Pick<Operation, 'kind' | 'meta' | 'input' | 'output' | 'isList'>): HeaderName[] {
  const isDeletion = kind === 'mutation' && 'deleted' in shapeOf(output);
  const always: HeaderName[] = ['X-Request-Id', ...requestLimits, ...besides];
  if (meta.status === 201) always.push('Location');
  if (kind === 'mutation') always.push('Idempotency-Replayed');
  if (meta.batch) always.push(...batchLimits);
  if (meta.conditional || (meta.tag !== undefined && !isDeletion)) always.push('ETag');
  if (isList && 'offset' in input.shape) always.push('Link');
  if (meta.hidesEventTypes) always.push('X-Hidden-Event-Types');
  if (beginningsIn(input).length > 0) always.push('X-Read-As-Now');
  return always;
}

const shapeOf = (schema: z.ZodType): object => (schema instanceof z.ZodObject ? schema.shape : {});

/** References to headers, for a response. */
export function headerReferences(names: readonly HeaderName[]): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A header whose value is text. */
export function text(description: string, example: string): oas31.HeaderObject {
  return { description, schema: { type: 'string' }, example };
}

function count(description: string, example: number): oas31.HeaderObject {
  return { description, schema: { type: 'integer' }, example };
}
