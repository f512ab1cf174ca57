import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import type { DeprecatedRoute } from '../call/deprecation.ts';
import { type Operation, takesIfMatch } from '../call/operations.ts';
import { faults, faultsOf, type Met, mostSeconds } from '../call/simulation.ts';
import { beginningsIn } from '../moments.ts';
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
export function answerHeaders(
  { kind, meta, input, output, isList }: Operation,
  ending: DeprecatedRoute | undefined,
): Record<string, oas31.ReferenceObject> {
  const isDeletion = kind === 'mutation' && output instanceof z.ZodObject && 'deleted' in output.shape;
  const names: HeaderName[] = ['X-Request-Id', ...requestLimits, ...besides];
  if (meta.status === 201) names.push('Location');
  if (kind === 'mutation') names.push('Idempotency-Replayed');
  if (meta.batch) names.push(...batchLimits);
  if (meta.conditional || (meta.tag !== undefined && !isDeletion)) names.push('ETag');
  if (isList && 'offset' in input.shape) names.push('Link');
  if (meta.hidesEventTypes) names.push('X-Hidden-Event-Types');
  if (beginningsIn(input).length > 0) names.push('X-Read-As-Now');
  if (ending !== undefined)
    names.push('Deprecation', ...(ending.sunset === undefined ? [] : ['Sunset' as const]), 'Link');
  return headerReferences(names);
}

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

// Optional headers have no example, because some clients send every header that has one.
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Unique per logical request, kept for 7 days. The same key with the same body returns the original; ' +
    'with another body it is a `conflict`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
} as const;

/** An operation of each kind that faults distinguish, by the name of its component. */
const kinds = {
  Simulate: { kind: 'query', name: '' },
  SimulateWrite: { kind: 'mutation', name: '' },
  SimulateOrder: { kind: 'mutation', name: 'orders.create' },
  SimulateBatch: { kind: 'mutation', name: 'stock.sync' },
  SimulateStream: { kind: 'subscription', name: '' },
} as const satisfies Record<string, Met>;

/** The headers that requests carry, by their names in `components.parameters`. */
export const requestHeaders: Readonly<Record<string, oas31.ParameterObject>> = {
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
  ...Object.fromEntries(
    Object.entries(kinds).map(([name, operation]) => [name, simulateParameter(operation)]),
  ),
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
};

/** References to the headers that an operation takes; a stream is none of the queries. */
export function takenHeaders(
  operation: Operation,
  streams = false,
): (oas31.ParameterObject | oas31.ReferenceObject)[] {
  const { kind, name, meta } = operation;
  const names: string[] = [];
  if (kind === 'mutation') names.push(meta.idempotent ? 'IdempotencyKey' : 'OptionalIdempotencyKey');
  if (takesIfMatch(operation)) names.push('IfMatch');
  if (meta.conditional) names.push('IfNoneMatch');
  if (!streams) names.push('Prefer');
  const faultsMet = faultsOf(streams ? kinds.SimulateStream : { kind, name }).join();
  const [simulate] = Object.entries(kinds).find(([, each]) => faultsOf(each).join() === faultsMet) ?? [];
  if (simulate === undefined) throw new Error(`no kind of headers.ts meets what ${name} does: ${faultsMet}`);
  const references = [...names, simulate].map((each) => ({ $ref: `#/components/parameters/${each}` }));
  return streams ? [lastEventId, ...references] : references;
}

const lastEventId: oas31.ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'The id of the last event that was read: what clients send by themselves when they come again. It wins over `after`.',
  schema: { type: 'string' },
};

function simulateParameter(operation: Met): oas31.ParameterObject {
  const met = faultsOf(operation);
  const lasting = met.filter((name) => 'seconds' in faults[name]);
  const others = met.filter((name) => !lasting.includes(name));
  const seconds = `( *; *seconds *= *(0?[0-9]|${mostSeconds}))?`;
  const forms = [`(${lasting.join('|')})${seconds}`, ...others];
  const meanings = met.map((name) => `\`${name}\`: ${faults[name].does}`).join('; ');
  return {
    name: 'X-Comanda-Simulate',
    in: 'header',
    required: false,
    description: `Of a key of a sandbox alone: plays a fault, and \`X-Comanda-Simulated\` names it. ${meanings}.`,
    schema: { type: 'string', pattern: `^(${forms.join('|')})$` },
  };
}

const eventId = '01935a3e-7d90-7c3b-a5e6-f70819203142';

/** Headers of every delivery. Contract: webhooks and events. */
export const deliveryHeaders = {
  EventId: header('X-Comanda-Event-Id', 'The event, the same at every attempt.', eventId),
  EventType: header('X-Comanda-Event-Type', 'The type of the event.', 'order.created'),
  Attempt: header('X-Comanda-Attempt', 'Which attempt this is, 1 to 5.', '1'),
  ContentDigest: header(
    'Content-Digest',
    'SHA-256 of the body (RFC 9530): distinguishes an altered body from a wrong secret, and proves nothing.',
    'sha-256=:DIGEST:',
  ),
  Traceparent: {
    ...header(
      'traceparent',
      'Its position in a trace (W3C Trace Context); only when the call that made the change carried one, or the service records traces.',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    ),
    required: false,
  },
  UserAgent: header(
    'User-Agent',
    '`Comanda-Webhooks/` and the version of the service.',
    'Comanda-Webhooks/0.2.0',
  ),
  WebhookId: header('webhook-id', 'The event id; part of what is signed.', eventId),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Unix seconds of this attempt; part of what is signed.',
    '1769904309',
  ),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; its key are the bytes that the base64 after ' +
      '`whsec_` in the secret encodes. For 24 hours after a rotation one for either secret, separated by a space.',
    'v1,SIGNATURE',
  ),
} as const satisfies Record<string, oas31.ParameterObject>;

function header(name: string, description: string, example: string): oas31.ParameterObject {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
