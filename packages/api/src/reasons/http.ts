import { type ReasonRow, row } from './row.ts';

/** Reasons of requests that cannot be read, or name nothing. */
export const httpReasons = {
  unreadable_request: row(
    'invalid_request',
    'The request line, the URL or the headers cannot be read, or, in logs, the caller left before the answer.',
    'Fix the code that builds the request; the same request fails again.',
  ),
  unreadable_body: row(
    'invalid_request',
    'The body is not JSON in UTF-8, or it ended early.',
    'Send the whole body as a JSON object.',
  ),
  method_not_allowed: row(
    'invalid_request',
    'The path does not take this method.',
    'Use one of the methods in `Allow`.',
    405,
  ),
  request_timeout: row(
    'invalid_request',
    'The request did not arrive in time.',
    'Send it again, faster; the connection is closed.',
    408,
  ),
  changed_since: row(
    'invalid_request',
    'The resource has changed since it had the tag that `If-Match`, or `expected` of the typed client, names.',
    'Read the resource again, and repeat the change with the tag in `ETag` of this answer.',
    412,
  ),
  tag_matches: row(
    'invalid_request',
    'The write has an `If-None-Match` that names the present tag of the resource, or is `*`.',
    'Leave the header out, or send `If-Match` with the tag that was read.',
    412,
  ),
  no_tag: row(
    'invalid_request',
    'The request has an `If-Match`, and no resource of the operation has an entity tag.',
    'Leave the header out.',
    412,
  ),
  precondition_required: row(
    'invalid_request',
    'An edit of lines has no `If-Match`, or `expected` of the typed client: it may be about lines that are others by now.',
    'Read the order, and send the edit with the `ETag` of that answer.',
    428,
  ),
  body_too_large: row(
    'invalid_request',
    'The body is larger than the operation takes.',
    'Send less at once, or use a batch operation.',
    413,
  ),
  unsupported_media_type: row(
    'invalid_request',
    'The body is not `application/json` in UTF-8, or it is content-encoded.',
    'Send `Content-Type: application/json`, and the body as it is.',
    415,
  ),
  lines_not_available: row(
    'invalid_request',
    'The request asks for an answer in lines (`application/jsonl`), in `trpc-accept` or in `Accept`.',
    'Replace `httpBatchStreamLink` with `httpBatchLink` in the tRPC client.',
    406,
  ),
  expectation_failed: row(
    'invalid_request',
    'The request has an `Expect` other than `100-continue`.',
    'Leave the header out.',
    417,
  ),
  headers_too_large: row(
    'invalid_request',
    'The headers are larger than 16 KiB, or more than 100.',
    'Send fewer headers, or a shorter URL.',
    431,
  ),
  unknown_transfer_coding: row(
    'invalid_request',
    'The body comes in a transfer coding other than `chunked`.',
    'Send the body as it is, with `Content-Length` or `Transfer-Encoding: chunked`; the connection is closed.',
    501,
  ),
  unknown_http_version: row(
    'invalid_request',
    'The request line names a version of HTTP that the server does not support.',
    'Send the request as `HTTP/1.1` over a new connection.',
    505,
  ),
  unknown_path: row(
    'resource_not_found',
    'There is no such path or procedure.',
    'Check the address against the documents.',
  ),
  not_found: row(
    'resource_not_found',
    'There is no such resource at the location of the key.',
    'Check the id; it may be gone, or belong to another location.',
  ),
} as const satisfies Record<string, ReasonRow>;
