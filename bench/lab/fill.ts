import type pg from 'pg';

/** How many rows each location of a group gets. */
export interface Size {
  products: number;
  orders: number;
  deliveries: number;
}

/** The contents of a database. Its first group is one location: the old one that is asked. */
export interface Shape {
  name: string;
  groups: readonly [Group, ...Group[]];
}

interface Group extends Size {
  locations: number;
}

const small: Size = { products: 40, orders: 50, deliveries: 10 };

export const shapes: readonly Shape[] = [
  {
    name: 'one location is everything',
    groups: [{ locations: 1, products: 10_000, orders: 1_000_000, deliveries: 50_000 }],
  },
  {
    name: 'one location alone, young',
    groups: [{ locations: 1, products: 1_000, orders: 10_000, deliveries: 1_000 }],
  },
  {
    name: 'one big with 1,000 small',
    groups: [
      { locations: 1, products: 10_000, orders: 200_000, deliveries: 20_000 },
      { locations: 1_000, products: 40, orders: 200, deliveries: 20 },
    ],
  },
  {
    name: '10,000 equal',
    groups: [
      { locations: 1, ...small },
      { locations: 9_999, ...small },
    ],
  },
];

/** The same shape a hundred times smaller. */
export function shrink({ name, groups: [first, ...others] }: Shape): Shape {
  const less = (group: Group): Group => ({
    locations: Math.ceil(group.locations / 100),
    products: Math.max(10, group.products / 100),
    orders: Math.max(10, group.orders / 100),
    deliveries: Math.max(10, group.deliveries / 100),
  });
  return { name, groups: [less(first), ...others.map(less)] };
}

/** Adds locations and gives their ids. */
export async function addLocations(client: pg.ClientBase, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with made as (insert into locations (name) select 'Lab' from generate_series(1, $1::int) returning id), method as (
       insert into payment_methods (location_id, name, type) select id, 'Cash', 'cash' from made
     ), endpoint as (
       insert into webhook_endpoints (location_id, url, events) select id, 'http://127.0.0.1:9/', '{order.created}' from made
     ) select id from made`,
    [count],
  );
  return rows.map(({ id }) => id);
}

const madeProducts = `from products p where p.location_id = any ($1::uuid[])
  and substr(p.external_id, 2)::int between $2::int and $3::int`;

// $1 locations, $2 first and $3 last number of what each gets.
const steps: readonly { of: keyof Size; text: string }[] = [
  {
    of: 'products',
    text: `insert into categories (location_id, external_id, name, priority)
      select l, 'c' || n, 'Category ' || n, n from unnest($1::uuid[]) l, generate_series($2::int, least($3::int, 20)) n`,
  },
  {
    of: 'products',
    text: `insert into products (location_id, external_id, sku, name, price)
      select l, 'p' || n, 's' || n, 'Product ' || n, 1 + n % 90
      from unnest($1::uuid[]) l, generate_series($2::int, $3::int) n`,
  },
  {
    of: 'products',
    text: `insert into product_stock (location_id, product_id, quantity) select p.location_id, p.id, 1000 ${madeProducts}`,
  },
  {
    of: 'products',
    text: `insert into product_categories (location_id, product_id, category_id)
      select m.location_id, m.id, c.id from (select p.*, 1 + substr(p.external_id, 2)::int % 20 as shelf ${madeProducts}) m
      join categories c on c.location_id = m.location_id and c.priority = m.shelf`,
  },
  {
    of: 'orders',
    text: `insert into turns (location_id, batch_number, status, started_at, ended_at)
      select l, n, 'closed', '2025-01-01', '2025-12-31'
      from unnest($1::uuid[]) l, generate_series(($2::int + 498) / 500, ($3::int - 1) / 500) n`,
  },
  {
    of: 'orders',
    text: `insert into orders (location_id, number, external_id, total, payment_method_id, status, turn_id, created_at)
      select l, n, 'o' || n, 25, m.id, (case when n % 20 = 0 then 'canceled' else 'closed' end)::order_status, t.id,
        '2025-01-01T03:00:00Z'::timestamptz + (n - 1) * (interval '364 days' / $3::int)
      from generate_series($2::int, $3::int) n cross join unnest($1::uuid[]) l join payment_methods m on m.location_id = l
      left join turns t on t.location_id = l and t.batch_number = (n - 1) / 500`,
  },
  {
    of: 'orders',
    text: `with menu as materialized (
        select location_id, array_agg(id) as ids from products where location_id = any ($1::uuid[]) group by 1)
      insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
      select o.location_id, o.id, i, m.ids[1 + (o.number * 7 + i) % cardinality(m.ids)], 'Product', 12.5, 1, 12.5
      from orders o join menu m on m.location_id = o.location_id, generate_series(1, 2) i
      where o.location_id = any ($1::uuid[]) and o.number between $2::int and $3::int`,
  },
  {
    of: 'orders',
    text: `insert into payments (location_id, order_id, payment_method_id, amount, status, created_at)
      select location_id, id, payment_method_id, total, 'completed', created_at from orders
      where location_id = any ($1::uuid[]) and number between $2::int and $3::int`,
  },
  {
    of: 'deliveries',
    text: `insert into events (location_id, id, number, type, resource_id, body, created_at)
      select l, uuid_v7(), n, 'order.created', l, '{}', now()
      from unnest($1::uuid[]) l, generate_series($2::int, $3::int) n`,
  },
  {
    of: 'deliveries',
    text: `insert into webhook_deliveries (location_id, endpoint_id, event_id, status, next_attempt_at)
      select e.location_id, w.id, e.id, (case when e.number % 5 = 0 then 'pending' else 'delivered' end)::delivery_status,
        case when e.number % 5 = 0 then now() end
      from events e join webhook_endpoints w on w.location_id = e.location_id
      where e.location_id = any ($1::uuid[]) and e.number between $2::int and $3::int`,
  },
];

/** Gives each of these locations its rows, after the `had` of each kind that it has. */
export async function fill(
  client: pg.ClientBase,
  locations: readonly string[],
  size: Size,
  had = 0,
): Promise<void> {
  for (const { of, text } of steps) await client.query(text, [locations, had + 1, size[of]]);
}
