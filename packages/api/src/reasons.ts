import { type ErrorCode, errorCodes } from './error-codes.ts';
import { notNow, type ReasonRow, row } from './reason-row.ts';

export { type ErrorCode, errorCodes, type ReasonRow };

/**
 * Every reason for which a request is refused or fails: `X-Error-Reason` of REST, `reason` of the typed client, an anchor of `/docs/errors`. One is never renamed; new ones may join.
 */
export const reasons = {
  unreadable_request: row(
    'invalid_request',
    'The request line, the URL or the headers cannot be read.',
    'Mend what builds the request; the same request fails again.',
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
    'The resource is not what `If-Match`, or `expected` of the typed client, names: it was changed since.',
    'Read it again, decide anew, and repeat the change with the tag in `ETag` of this answer.',
    412,
  ),
  no_tag: row(
    'invalid_request',
    'The request has an `If-Match`, and the operation works on nothing that has an entity tag.',
    'Leave the header out.',
    412,
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
  key_missing: row(
    'unauthorized',
    'The request has no `Authorization` header.',
    'Send `Authorization: Bearer` and the API key; see whether a proxy on the way takes it off.',
  ),
  key_not_valid: row(
    'unauthorized',
    'The API key is malformed, unknown, expired or revoked; which of them is not told.',
    'Check the key with whoever made it, or ask for another.',
  ),
  app_code_unknown: row(
    'unauthorized',
    'The code signs nobody in to the app: it is incomplete, or was never made.',
    'Open the whole link, or ask for another one (`comanda app code`).',
  ),
  app_code_used: row(
    'unauthorized',
    'The code has signed somebody in to the app already; each does so once.',
    'Ask for another link (`comanda app code`), also when it was not you.',
  ),
  app_code_expired: row(
    'unauthorized',
    'The code was to be used within ten minutes.',
    'Ask for another link (`comanda app code`), and open it at once.',
  ),
  permission_missing: row(
    'permission_denied',
    'The key lacks the permission that the message names.',
    'Ask for a key with that permission.',
  ),
  beyond_own_key: row(
    'permission_denied',
    'The new key would be allowed more than the key that makes it.',
    'Ask for less in the fields that the message names.',
  ),
  sandbox_only: row(
    'permission_denied',
    'The operation is for keys of a sandbox, and the key is of a live location.',
    'Use a key that begins with `cmd_test_`.',
  ),
  location_disabled: row(
    'permission_denied',
    'The location of the key is disabled: nothing is read or written there.',
    'Ask whoever runs the service; do not repeat the request before it is enabled.',
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
  still_referenced: row(
    'conflict',
    'Something else of the location still refers to what was to be deleted.',
    'Change or delete the rows that the message names, and delete the resource after them.',
  ),
  external_id_taken: row(
    'conflict',
    'Another resource of the location has this `external_id`.',
    'Read the other one, which `Location` names when it is known; most often it is what you sent before.',
  ),
  sku_taken: row(
    'conflict',
    'Another product of the location has this `sku`.',
    'Read the other one, which `Location` names, and change one of the two.',
  ),
  idempotency_key_reused: row(
    'conflict',
    'The idempotency key was used before with a different body.',
    'Take a new key for a new request; send the same body to repeat an old one.',
  ),
  shown_once: row(
    'conflict',
    'The call was done before, and its answer held a secret that is shown once.',
    'Revoke what it made, which the message names, and make another with a new idempotency key.',
  ),
  illegal_move: row(
    'conflict',
    'The order, payment or turn cannot move from where it stands to where it should.',
    'Read it and go on from its status; when it is there already, there is nothing to do.',
  ),
  guarded: row(
    'conflict',
    'A rule of the database keeps this as it is; the message says which.',
    'Make a new one instead of changing this.',
  ),
  turn_open: row('conflict', 'A turn is open already.', 'Close it first, or go on with it.'),
  not_collected: row(
    'conflict',
    'The payment is not completed, so there is no money to give back.',
    'Reject a pending payment, or complete it first.',
  ),
  refund_too_large: row(
    'conflict',
    'The refund is more than what is left of the payment.',
    'Record at most what the message names.',
  ),
  entries_unknown: row(
    'conflict',
    'The settlement was made before there were entries, and its payments do not make its totals.',
    'Use its totals; `books=before_books` lists the payments that are in no settlement that is known.',
  ),
  no_turn: row('conflict', 'No turn is open.', 'Open one first.'),
  stock_changed: row(
    'conflict',
    'The stock is not what the request expected.',
    'Read what is there, which the message names, decide anew, and send it again; the idempotency key is unused.',
  ),
  stock_range: row(
    'conflict',
    'The stock would be below zero, or more than the largest quantity.',
    'Adjust by what is there at most; the message names it.',
  ),
  endpoint_disabled: row(
    'conflict',
    'The webhook endpoint is disabled.',
    'Set its status to `active` first.',
  ),
  invalid_field: row(
    'validation_error',
    'A field of the body, the query or the path does not have the form it must have.',
    'Mend the fields that the message names; the same request fails again.',
  ),
  unknown_parameter: row(
    'validation_error',
    'A query parameter is unknown, or a field of the body where that is refused (`Prefer: handling=strict`).',
    'Mend its name, or leave it out.',
  ),
  idempotency_key_missing: row(
    'validation_error',
    'The operation needs an idempotency key.',
    'Make one key for each thing you want done, and send it again with each repeat.',
  ),
  unknown_cursor: row(
    'validation_error',
    'The cursor is none of this list, or the event is no longer kept.',
    'Begin anew with `updated_since`, or `since`.',
  ),
  cursor_not_restored: row(
    'validation_error',
    'The database was restored to a moment before this event, and does not have it.',
    'Begin with `since` as `X-Error-Since` has it, and compare what you did after that moment.',
  ),
  body_bound: row(
    'validation_error',
    'The body nests too deep, or has too many values, members of an object, or bytes in a name.',
    'Send a body within the bounds that the message names.',
  ),
  batch_too_large: row(
    'validation_error',
    'There is more than the key may send or read at once.',
    'Cut it into parts; `GET /v2/limits` tells how large they may be.',
  ),
  unknown_product: row(
    'validation_error',
    'A line names a product that the location does not have.',
    'Read the catalog again; the product may be gone.',
  ),
  invalid_selection: row(
    'validation_error',
    'What is chosen does not fit the subselections of the product.',
    'Read the catalog again, and choose within `min_selection` and `max_selection`.',
  ),
  out_of_stock: row(
    'validation_error',
    'Less is left than the order wants.',
    'Order no more than the message says is left, or wait until there is more.',
  ),
  payment_method_unusable: row(
    'validation_error',
    'The payment method is unknown or disabled.',
    'Read `GET /v2/payment-methods`, and take one that is enabled.',
  ),
  unknown_reference: row(
    'validation_error',
    'A field names something that the location does not have.',
    'Read the resource that the field names: it may be deleted, or belong to another location.',
  ),
  unknown_category: row(
    'validation_error',
    'The location has no category of this id.',
    'Read the categories again; the category may be gone.',
  ),
  address_refused: row(
    'validation_error',
    'Webhooks are not sent to this URL.',
    'Give an absolute https URL that can be reached from the internet.',
  ),
  too_many_endpoints: row(
    'validation_error',
    'The location has as many webhook endpoints as it may have.',
    'Delete one that is not needed any more.',
  ),
  certification_running: row('conflict', 'One of this sandbox is under way.', 'Follow it, or wait.'),
  simulation_refused: row(
    'validation_error',
    'The request asks for a simulated fault (`X-Comanda-Simulate`) with the key of a live location.',
    'Leave the header out, or use a key that begins with `cmd_test_`.',
  ),
  minute_limit: row(
    'rate_limited',
    'The requests of this minute are used up.',
    'Wait for `Retry-After` seconds, and send the request again.',
  ),
  month_limit: row(
    'rate_limited',
    'The requests of this month are used up.',
    'Wait for the next month, or ask for a higher limit.',
  ),
  batch_limit: row(
    'rate_limited',
    'The batch jobs of this hour are used up.',
    'Wait for `Retry-After` seconds, or put more into one batch.',
  ),
  too_many_codes: row(
    'rate_limited',
    'From this address came too many codes of the app that are none.',
    'Wait for `Retry-After` seconds, and open the whole link.',
  ),
  too_many_streams: row(
    'rate_limited',
    'The key, its location or this process has as many streams of events open as it may have.',
    'Let screens share one stream, close those that nobody reads, or wait for `Retry-After` seconds.',
  ),
  temporarily_unavailable: notNow(
    'The service is not available at the moment; a write may or may not have been done.',
  ),
  location_busy: notNow(
    'Too much is under way at this location.',
    'Wait for `Retry-After` seconds, and send less at once.',
  ),
  location_read_only: notNow(
    'The location of the key only answers reads for a while, as when it moves to another database.',
  ),
  moved: notNow('The location of the key moved to another database; this is the one that it left.'),
  internal: row(
    'internal_error',
    'A fault of ours; a write may or may not have been done.',
    'Repeat it once with its idempotency key; if it stays, tell us the `request_id`.',
  ),
} as const satisfies Record<string, ReasonRow>;

/** A reason of the table. */
export type Reason = keyof typeof reasons;

/** The reasons that lie behind a code. */
export type ReasonOf<Code extends ErrorCode> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Code ? Name : never;
}[Reason];

/** The HTTP status that a reason leaves with. */
export function statusOf(reason: Reason): number {
  const { code, status }: ReasonRow = reasons[reason];
  return status ?? errorCodes[code].status;
}

/** The reasons that leave with an HTTP status. */
export const reasonsOf = (status: number): Reason[] =>
  (Object.keys(reasons) as Reason[]).filter((reason) => statusOf(reason) === status);
