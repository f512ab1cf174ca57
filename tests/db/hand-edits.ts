/** What a person edits, by the row of the study of admins that it stands in, and what it is refused with. */
export interface HandEdit {
  row: number;
  edit: string;
  sql: string;
  refusal: RegExp;
  /** A guard; or a constraint or a list of names, which no deed passes. */
  by: 'guard' | 'constraint' | 'names';
}

const order = `(select id from orders where number = 1)`;

/** Each is refused. `$1` is the location. Order 1 is paid and its turn is settled; order 2 is pending in the open turn. */
export const handEdits: readonly HandEdit[] = [
  guard(
    2,
    'deletes the counts of products',
    'delete from tallies where location_id = $1',
    /counts follow the rows/,
  ),
  guard(
    2,
    'changes the counts of products',
    'update tally_notes set n = 7 where location_id = $1',
    /counts follow/,
  ),
  guard(
    3,
    'deletes the counts of orders',
    'delete from tally_notes where location_id = $1',
    /counts follow the rows/,
  ),
  guard(
    4,
    'deletes a payment',
    `delete from payments where order_id = ${order}`,
    /never without its payment/,
  ),
  guard(5, 'deletes a settlement', 'delete from settlements where location_id = $1', /a settlement is kept/),
  guard(
    5,
    'changes a settlement',
    'update settlements set total_collected = 1 where location_id = $1',
    /is frozen/,
  ),
  guard(
    6,
    'changes the amount of a payment',
    `update payments set amount = 1 where order_id = ${order}`,
    /amount of a payment never change/,
  ),
  guard(
    7,
    'changes the total of an order',
    'update orders set total = 1 where location_id = $1 and number = 2',
    /total .* never change/,
  ),
  guard(
    8,
    'changes the quantity of a line',
    'update order_items set quantity = 50 where location_id = $1',
    /lines of an order never change/,
  ),
  guard(
    8,
    'makes the total of a line negative',
    'update order_items set total = -5 where location_id = $1',
    /lines of an order never change/,
  ),
  guard(
    8,
    'deletes lines',
    'delete from order_items where location_id = $1',
    /lines of an order never change/,
  ),
  guard(
    8,
    'adds a line',
    `insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select location_id, ${order}, 9, id, name, 1, 1, 1 from products where location_id = $1 limit 1`,
    /lines of an order never change/,
  ),
  guard(
    9,
    'breaks the selections of a line',
    `update order_items set selections = '{"a":1}' where location_id = $1`,
    /lines of an order never change/,
  ),
  guard(10, 'empties an event', `update events set body = '{}' where location_id = $1`, /nobody edits them/),
  guard(
    10,
    'moves an event in the feed',
    'update events set number = 999999 where location_id = $1',
    /nobody edits them/,
  ),
  guard(10, 'deletes an event', 'delete from events where location_id = $1', /nobody edits them/),
  guard(
    11,
    'changes the id of an order',
    'update orders set id = gen_random_uuid() where number = 1 and location_id = $1',
    /id, the location, .* never change/,
  ),
  guard(
    11,
    'changes the id of a product',
    'update products set id = gen_random_uuid() where location_id = $1',
    /id, the location .* of a product never change/,
  ),
  guard(
    11,
    'gives a key to another location',
    'update api_keys set location_id = (select id from locations where id <> $1 limit 1) where location_id = $1',
    /text of a key never change/,
  ),
  check(
    13,
    'sets a currency that is none',
    `update locations set currency = 'xx' where id = $1`,
    /locations_currency_check/,
  ),
  check(
    13,
    'takes the name of a location',
    `update locations set name = '' where id = $1`,
    /locations_name_check/,
  ),
  names(
    14,
    'subscribes to an event that is none',
    `update webhook_endpoints set events = '{order.canceled}' where location_id = $1`,
    /no event "order.canceled" .*do you mean order\.cancelled\?/,
  ),
  check(
    14,
    'sets a URL that is none',
    `update webhook_endpoints set url = 'not a url' where location_id = $1`,
    /webhook_endpoints_url_check/,
  ),
  guard(
    14,
    'inserts an endpoint, which would have no secret',
    `insert into webhook_endpoints (location_id, url, events) values ($1, 'https://example.com', '{order.created}')`,
    /POST \/v2\/webhook-endpoints/,
  ),
  guard(
    15,
    'deletes the secret of an endpoint',
    'delete from webhook_secrets where location_id = $1',
    /signing secrets are the service's/,
  ),
  guard(
    16,
    'says that a delivery was tried 99 times',
    'update webhook_deliveries set attempts = 99 where location_id = $1',
    /deliveries are the service's/,
  ),
  guard(
    16,
    'says that a delivery arrived',
    `update webhook_deliveries set status = 'delivered' where location_id = $1`,
    /deliveries are the service's/,
  ),
  guard(
    16,
    'deletes attempts',
    'delete from webhook_attempts where location_id = $1',
    /attempts are noted by the service/,
  ),
  guard(
    17,
    'gives an order another number',
    'update orders set number = 5000 where location_id = $1 and number = 2',
    /gets its number and its turn at its commit/,
  ),
  guard(
    17,
    'gives an order a number below zero',
    'update orders set number = -4 where location_id = $1 and number = 2',
    /gets its number and its turn at its commit/,
  ),
  guard(
    17,
    'sets the counter of orders',
    `update location_counters set value = 2147483647 where location_id = $1 and name = 'order'`,
    /numbers count up by themselves/,
  ),
  guard(
    18,
    'makes an order older',
    `update orders set created_at = '2020-01-01' where location_id = $1`,
    /creation .* of an order never change/,
  ),
  guard(
    18,
    'moves an order to a closed turn',
    `update orders set turn_id = (select id from turns where status = 'closed' and location_id = $1) where location_id = $1 and number = 2`,
    /gets its number and its turn at its commit/,
  ),
  guard(
    19,
    'numbers a closed turn anew',
    `update turns set batch_number = 77 where location_id = $1 and status = 'closed'`,
    /number and the start of a turn never change/,
  ),
  guard(
    19,
    'ends a closed turn earlier',
    `update turns set ended_at = '2020-01-01' where location_id = $1 and status = 'closed'`,
    /closed turn never changes/,
  ),
  guard(
    19,
    'takes the end of a closed turn',
    `update turns set ended_at = null where location_id = $1 and status = 'closed'`,
    /closed turn never changes/,
  ),
  check(
    19,
    'ends an open turn before it began',
    `update turns set status = 'closed', ended_at = '2020-01-01' where location_id = $1 and status = 'open'`,
    /turns_ended_at_check/,
  ),
  guard(
    19,
    'deletes a settled turn',
    `delete from turns where location_id = $1 and status = 'closed'`,
    /is settled, so it is kept/,
  ),
  guard(
    20,
    'inserts an order with a number of his own',
    `insert into orders (location_id, number, payment_method_id) select $1, 9001, id from payment_methods where location_id = $1 limit 1`,
    /gets its number and turn at the commit/,
  ),
  guard(
    20,
    'inserts an order without lines',
    `insert into orders (location_id, payment_method_id) select $1, id from payment_methods where location_id = $1 limit 1`,
    /an order has lines/,
  ),
  guard(
    21,
    'sets back the version of the catalog',
    'update catalog_versions set token = 0 where location_id = $1',
    /version follows the catalog/,
  ),
  guard(
    22,
    'revives a revoked key',
    'update api_keys set revoked_at = null where location_id = $1 and revoked_at is not null',
    /revoked for good/,
  ),
  check(
    22,
    'sets a limit below one',
    'update api_keys set per_minute = -5 where location_id = $1',
    /api_keys_limits_check/,
  ),
  names(
    22,
    'grants a permission that is none',
    `update api_keys set permissions = '{orders:read,nonsense}' where location_id = $1`,
    /no permission "nonsense"/,
  ),
  guard(
    22,
    'inserts a key',
    `insert into api_keys (location_id, name, prefix, key_hash, permissions) values ($1, 'x', 'x', '\\x00', '{*}')`,
    /comanda keys create/,
  ),
  guard(
    23,
    'turns cash into a card',
    `update payment_methods set type = 'card' where location_id = $1`,
    /has payments, so its type stays/,
  ),
  guard(
    24,
    'deletes an idempotency key',
    'delete from idempotency_keys where location_id = $1',
    /sent again would be done again/,
  ),
  guard(
    24,
    'gives back what a key has used',
    'update limit_counters set used = 0 where $1::uuid is not null',
    /counted by the service/,
  ),
  guard(
    24,
    'has a process live in 2030',
    `update process_heartbeats set seen_at = '2030-01-01' where $1::uuid is not null`,
    /tell of themselves/,
  ),
  guard(
    24,
    'changes the audit',
    `update audit_entries set operation = 'x' where location_id = $1`,
    /audit is written by the service alone/,
  ),
  guard(
    24,
    'deletes from the audit',
    'delete from audit_entries where location_id = $1',
    /audit is written by the service alone/,
  ),
  check(
    25,
    'sets a price with three decimals',
    'update products set price = 12.345 where location_id = $1',
    /products_price_check/,
  ),
  check(
    25,
    'takes the name of a product',
    `update products set name = '' where location_id = $1`,
    /products_name_check/,
  ),
  check(
    25,
    'sets an image that is a script',
    `update products set image_url = 'javascript:alert(1)' where location_id = $1`,
    /products_image_url_check/,
  ),
  check(
    25,
    'empties an external_id',
    `update orders set external_id = '' where location_id = $1 and number = 1`,
    /orders_external_id_check/,
  ),
  check(
    25,
    'sets a channel of 5000 characters',
    `update orders set channel = repeat('x', 5000) where location_id = $1`,
    /orders_channel_check/,
  ),
  check(
    25,
    'gives a reason for cancelling an order that is not cancelled',
    `update orders set cancel_reason = 'why' where location_id = $1`,
    /orders_cancel_reason_check/,
  ),
];

function guard(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'guard' };
}

function check(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'constraint' };
}

function names(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'names' };
}
