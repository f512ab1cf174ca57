import type { Ground } from './ground.ts';

/** One row of the location's, by its place in an order that does not depend on ids. */
const one = (table: 'products' | 'categories' | 'orders', n: number): string => {
  const order = { products: 'sku', categories: 'name, priority', orders: 'number' }[table];
  return `(select id from (select id, row_number() over (order by ${order}) - 1 as place, count(*) over () as all_of_them
    from ${table} where location_id = $1) r where place = ${n} % all_of_them)`;
};

const zones = [
  'UTC',
  'America/Montevideo',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  'Pacific/Apia',
  'America/Argentina/Buenos_Aires',
  'Australia/Lord_Howe',
  'Europe/Kyiv',
];

/** A moment of two months, as SQL. */
const moment = ({ chance }: Ground) =>
  `timestamptz '2025-01-01Z' + interval '1 minute' * ${chance.between(0, 60 * 24 * 60)}`;

const orders = (ground: Ground, count: number, more = '') => `insert into orders
  (location_id, number, total, payment_method_id, created_at, status${more === '' ? '' : ', channel'})
  select $1, 1000000 + ${ground.next()} * 1000 + n, ${ground.chance.between(0, 900)} / 4.0, '${ground.paymentMethodId}',
    ${moment(ground)} + n * interval '${ground.chance.pick(['1 second', '7 minutes', '3 hours'])}',
    '${ground.chance.pick(['pending', 'pending', 'ready'])}'${more} from generate_series(1, ${count}) n`;

/** A manual edit in psql: one statement. */
export function handEdit(ground: Ground): string {
  const { chance } = ground;
  const n = () => chance.between(0, 200);
  const product = one('products', n());
  const category = one('categories', n());
  const every = `number % ${chance.between(3, 9)} = 0`;
  return chance.pick([
    () =>
      `update products set price = ${n()} / 4.0, name = 'N${n() % 9}' where location_id = $1 and id = ${product}`,
    () => `update products set visible = not visible where location_id = $1 and id = ${product}`,
    () => `update products set id = uuid_v7() where location_id = $1 and id = ${product}`,
    () =>
      `update products set description = 'd${n()}', sku = 'k${n()}' where location_id = $1 and id = ${product}`,
    () => `delete from products where location_id = $1 and id = ${product}`,
    () => `insert into product_stock (location_id, product_id, quantity, enabled)
      select $1, ${product}, ${n()}, ${n() % 2 === 0} on conflict (location_id, product_id) do update set quantity = excluded.quantity`,
    () => `delete from product_stock where location_id = $1 and product_id = ${product}`,
    () =>
      `update product_stock set quantity = quantity + 1.5, min_stock_alarm = ${n()} where location_id = $1`,
    () => `insert into categories (location_id, name, priority) values ($1, 'C${n()}', ${n() % 5})`,
    () =>
      `update categories set name = 'C${n()}', priority = ${n() % 5} where location_id = $1 and id = ${category}`,
    () => `delete from categories where location_id = $1 and id = ${category} and external_id is null`,
    () => `insert into product_categories select $1, ${product}, ${category} on conflict do nothing`,
    () => `delete from product_categories where location_id = $1 and product_id = ${product}`,
    () => `update subselection_items set price = price + 1, position = ${n() % 3} where location_id = $1`,
    () => `update subselections set name = 'S${n()}' where location_id = $1 and product_id = ${product}`,
    () => `update locations set timezone = '${chance.pick(zones)}' where id = $1`,
    () => orders(ground, chance.pick([1, 3, 40, 300])),
    () => orders(ground, 5, `, 'counter'`),
    () => `update orders set status = 'ready' where location_id = $1 and status = 'pending' and ${every}`,
    () =>
      `update orders set status = 'canceled' where location_id = $1 and status in ('pending', 'ready') and ${every}`,
    () => `update orders set created_at = created_at + interval '${chance.pick(['1 hour', '-3 days', '40 days'])}'
      where location_id = $1 and ${every}`,
    () =>
      `update orders set created_at = ${moment(ground)}, total = total + 1 where location_id = $1 and id = ${one('orders', n())}`,
    () => `delete from orders where location_id = $1 and number % ${chance.between(7, 23)} = 3`,
    () => `select fold_tallies($1)`,
  ])();
}

/** The statements of a transaction that is left open: rows that no other lane touches, so that no lane waits for it. */
export function lateEdits(ground: Ground): string[] {
  const sku = `late-${ground.next()}`;
  return [
    ground.chance.pick(['begin', 'begin isolation level repeatable read']),
    `insert into products (location_id, sku, name, price) values ($1, '${sku}', 'Late', 3)`,
    `insert into product_stock (location_id, product_id, quantity) select $1, id, 2 from products
       where location_id = $1 and sku = '${sku}'`,
    orders(ground, ground.chance.between(1, 20)),
    'savepoint s',
    `update products set price = 4 where location_id = $1 and sku = '${sku}'`,
    orders(ground, 2),
    ...(ground.chance.percent(50) ? ['rollback to s'] : ['release s']),
    `update products set visible = false where location_id = $1 and sku = '${sku}'`,
    `insert into categories (location_id, name) values ($1, '${sku}')`,
    `insert into product_categories select $1, p.id, c.id from products p, categories c
       where p.location_id = $1 and p.sku = '${sku}' and c.location_id = $1 and c.name = '${sku}'`,
  ];
}
