import { guard, type HandEdit } from './hand-edit.ts';

const order = `(select id from orders where number = 1)`;

/** Each is refused. `$1` is the location. Order 1 is paid and its turn is settled; order 2 is pending in the open turn. */
export const editsOfMoney: readonly HandEdit[] = [
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
    `update internal.location_counters set value = 2147483647 where location_id = $1 and name = 'order'`,
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
    'gives a closed turn another number',
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
  guard(
    19,
    'ends an open turn before it began',
    `update turns set status = 'closed', ended_at = '2020-01-01' where location_id = $1 and status = 'open'`,
    /a turn ends when it is closed/,
  ),
  guard(
    19,
    'ends an open turn in the year 2099',
    `update turns set status = 'closed', ended_at = '2099-01-01' where location_id = $1 and status = 'open'`,
    /a turn ends when it is closed/,
  ),
  guard(
    20,
    'deletes an order that has its number',
    'delete from orders where location_id = $1',
    /an order that has its number is kept/,
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
    23,
    'turns cash into a card',
    `update payment_methods set type = 'card' where location_id = $1`,
    /has payments, so its type stays/,
  ),
];
