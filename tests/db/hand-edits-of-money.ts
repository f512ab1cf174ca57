import { byConstraint, byGuard, type HandEdit } from './hand-edit.ts';

const order = `(select id from orders where number = 1)`;

/** Each is refused. `$1` is the location. Order 1 is paid and its turn is settled; order 2 is pending in the open turn. */
export const editsOfMoney: readonly HandEdit[] = [
  ...byGuard(/never without its payment/, {
    'deletes a payment': `delete from payments where order_id = ${order}`,
  }),
  ...byGuard(/a settlement is kept/, {
    'deletes a settlement': 'delete from settlements where location_id = $1',
  }),
  ...byGuard(/is frozen/, {
    'changes a settlement': 'update settlements set total_collected = 1 where location_id = $1',
  }),
  ...byGuard(/amount of a payment never change/, {
    'changes the amount of a payment': `update payments set amount = 1 where order_id = ${order}`,
  }),
  ...byGuard(/total .* never change/, {
    'changes the total of an order': 'update orders set total = 1 where location_id = $1 and number = 2',
  }),
  ...byConstraint(/order_items_total_check/, {
    'makes the total of a line negative': 'update order_items set total = -5 where location_id = $1',
  }),
  ...byGuard(/lines of an order never change/, {
    'changes the quantity of a line': 'update order_items set quantity = 50 where location_id = $1',
    'deletes lines': 'delete from order_items where location_id = $1',
    'adds a line': `insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select location_id, ${order}, 9, id, name, 1, 1, 1 from products where location_id = $1 limit 1`,
    'breaks the selections of a line': `update order_items set selections = '{"a":1}' where location_id = $1`,
  }),
  ...byGuard(/gets its number and its turn at its commit/, {
    'gives an order another number': 'update orders set number = 5000 where location_id = $1 and number = 2',
    'gives an order a number below zero':
      'update orders set number = -4 where location_id = $1 and number = 2',
    'moves an order to a closed turn': `update orders set turn_id = (select id from turns where status = 'closed' and location_id = $1) where location_id = $1 and number = 2`,
  }),
  ...byGuard(/numbers count up by themselves/, {
    'sets the counter of orders': `update internal.location_counters set value = 2147483647 where location_id = $1 and name = 'order'`,
  }),
  ...byGuard(/creation .* of an order never change/, {
    'makes an order older': `update orders set created_at = '2020-01-01' where location_id = $1`,
  }),
  ...byGuard(/number and the start of a turn never change/, {
    'gives a closed turn another number': `update turns set batch_number = 77 where location_id = $1 and status = 'closed'`,
  }),
  ...byGuard(/closed turn never changes/, {
    'ends a closed turn earlier': `update turns set ended_at = '2020-01-01' where location_id = $1 and status = 'closed'`,
    'takes the end of a closed turn': `update turns set ended_at = null where location_id = $1 and status = 'closed'`,
  }),
  ...byGuard(/a turn ends when it is closed/, {
    'ends an open turn before it began': `update turns set status = 'closed', ended_at = '2020-01-01' where location_id = $1 and status = 'open'`,
    'ends an open turn in the year 2099': `update turns set status = 'closed', ended_at = '2099-01-01' where location_id = $1 and status = 'open'`,
  }),
  ...byGuard(/an order that has its number is kept/, {
    'deletes an order that has its number': 'delete from orders where location_id = $1',
  }),
  ...byGuard(/is settled, so it is kept/, {
    'deletes a settled turn': `delete from turns where location_id = $1 and status = 'closed'`,
  }),
  ...byGuard(/gets its number and turn at the commit/, {
    'inserts an order with a number of his own': `insert into orders (location_id, number, payment_method_id) select $1, 9001, id from payment_methods where location_id = $1 limit 1`,
  }),
  ...byGuard(/an order has lines/, {
    'inserts an order without lines': `insert into orders (location_id, payment_method_id) select $1, id from payment_methods where location_id = $1 limit 1`,
  }),
  ...byGuard(/has payments, so its type stays/, {
    'turns cash into a card': `update payment_methods set type = 'card' where location_id = $1`,
  }),
];
