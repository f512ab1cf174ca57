import { type ReasonRow, row } from './row.ts';

/** Reasons of fields, parameters and what they name. */
export const valueReasons = {
  invalid_field: row(
    'validation_error',
    'A field of the body, the query or the path does not have the form it must have.',
    'Fix the fields that the message names; the same request fails again.',
  ),
  unknown_parameter: row(
    'validation_error',
    'A query parameter is unknown, or a field of the body where that is refused (`Prefer: handling=strict`).',
    'Fix its name, or leave it out.',
  ),
  idempotency_key_missing: row(
    'validation_error',
    'The operation needs an idempotency key.',
    'Make one key for each thing you want done, and send it again with each repeat.',
  ),
  unknown_cursor: row(
    'validation_error',
    'The cursor is none of this list, or what it leads to is no longer kept.',
    'Start over with `updated_since`, or `since`.',
  ),
  cursor_not_restored: row(
    'validation_error',
    'The database was restored to a moment before this event, and does not have it.',
    'Begin with `since` as `X-Error-Since` has it, and compare what you did after that moment.',
  ),
  clock_ahead: row(
    'validation_error',
    'The moment to read from is more than five minutes ahead of our clock: what changes until then would never be read.',
    'Correct your clock, or send a moment that an answer of the service contains.',
  ),
  body_bound: row(
    'validation_error',
    'The body nests too deep, or has too many values, members of an object, or bytes in a name.',
    'Send a body within the bounds that the message names.',
  ),
  batch_too_large: row(
    'validation_error',
    'There is more than the key may send or read at once.',
    'Cut it into parts; `GET /v2/limits` shows how large they may be.',
  ),
  unknown_product: row(
    'validation_error',
    'A line names a product that the location does not have.',
    'Read the catalog again; the product may be gone.',
  ),
  invalid_selection: row(
    'validation_error',
    'The selections do not fit the subselections of the product.',
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
  source_key_unusable: row(
    'validation_error',
    'The key of the other location cannot be used for a copy: it is not valid, lacks a permission, is of the same location, or prices there are in another currency.',
    'Use a key with `catalog:read` and `menus:read` of the location to copy from, which has the same currency.',
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
  simulation_refused: row(
    'validation_error',
    'The request asks for a simulated fault (`X-Comanda-Simulate`) with the key of a live location.',
    'Leave the header out, or use a key that begins with `cmd_test_`.',
  ),
} as const satisfies Record<string, ReasonRow>;
