import { notNow, type ReasonRow, row } from './row.ts';

/** Reasons of keys, of limits, and of a service or a location that is not available. */
export const accessReasons = {
  key_missing: row(
    'unauthorized',
    'The request has no `Authorization` header.',
    'Send `Authorization: Bearer` and the API key; see whether a proxy on the way takes it off.',
  ),
  key_not_valid: row(
    'unauthorized',
    'The API key is malformed, unknown, expired or revoked; the answer does not say which.',
    'Check the key with the person who made it, or ask for another.',
  ),
  app_code_unknown: row(
    'unauthorized',
    'The code signs no one in to the app: it is incomplete, or was never made.',
    'Open the whole link, or ask for another one (`comanda app code`).',
  ),
  app_code_used: row(
    'unauthorized',
    'The code has been used already; each signs a person in once.',
    'Ask for another link (`comanda app code`), also when it was not you.',
  ),
  app_code_expired: row(
    'unauthorized',
    'The code is older than ten minutes.',
    'Ask for another link (`comanda app code`), and open it at once.',
  ),
  permission_missing: row(
    'permission_denied',
    'The key lacks the permission that the message names.',
    'Ask for a key with that permission, or leave out the event types that need it, in `types` of the feed and in `events` of an endpoint.',
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
  foreign_origin: row(
    'permission_denied',
    'A page of another origin called `/mcp`, by the `Origin` of the request.',
    'Call it from a program, not from a page in a browser.',
  ),
  location_disabled: row(
    'permission_denied',
    'The location of the key is disabled: nothing is read or written there.',
    'Ask the operator of the service; do not repeat the request before it is enabled.',
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
    'Let screens share one stream, close those without a reader, or wait for `Retry-After` seconds.',
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
    'A fault of the service; a write may or may not have been done.',
    'Repeat it once with its idempotency key; if it stays, send us the `request_id`.',
  ),
} as const satisfies Record<string, ReasonRow>;
