/** The parameters of a statement, of one location. */
export interface Sample {
  location: string;
  product: string;
  externalId: string;
  /** 500 at most. */
  products: string[];
  externalIds: string[];
  /** Five. */
  bought: string[];
  order: string;
  turn: string;
  endpoint: string;
  /** 250 at most. */
  deliveries: string[];
}

/** A statement of the kind that the service runs. `byId`: the same, by id alone where that is unique; undefined where C changes nothing. */
export interface LabStatement {
  name: string;
  types: string;
  text: string;
  byId?: string;
  /** The settings while it runs. */
  set?: string;
  values(sample: Sample): (string | string[])[];
}

const sold = `with sold as materialized (
  select o.id, o.created_at, o.total from orders o
  where o.location_id = $1 and o.status <> 'canceled' and o.created_at >= $2 and o.created_at < $3)`;
const aYear = ({ location }: Sample) => [location, '2025-01-01', '2026-01-01'];

export const statements: readonly LabStatement[] = [
  {
    name: 'product by id',
    types: 'uuid, uuid',
    text: 'select * from products where location_id = $1 and id = $2',
    byId: 'select * from (select * from products where id = $2 offset 0) p where p.location_id = $1',
    values: ({ location, product }) => [location, product],
  },
  {
    name: 'product by external_id',
    types: 'uuid, text',
    text: 'select * from products where location_id = $1 and external_id = $2',
    byId: 'select * from products where location_id = $1 and external_id = $2',
    values: ({ location, externalId }) => [location, externalId],
  },
  {
    name: 'names of 500 products by id',
    types: 'uuid, uuid[]',
    text: `select max((select p.name from products p where p.location_id = $1 and p.id = v.id)) from unnest($2) as v (id)`,
    byId: `select max((select p.name from products p where p.id = v.id)) from unnest($2) as v (id) where $1 is not null`,
    values: ({ location, products }) => [location, products],
  },
  {
    name: 'foreign key: product',
    types: 'uuid, uuid',
    text: 'select 1 from only products x where location_id = $1 and id = $2 for key share of x',
    byId: 'select 1 from only products x where location_id = $1 and id = $2 for key share of x',
    values: ({ location, product }) => [location, product],
  },
  {
    name: 'lock 500 products by external_id',
    types: 'uuid, text[]',
    text: `select p.id from unnest($2) as v (e) cross join lateral (
      select id from products where location_id = $1 and external_id = v.e for no key update) p`,
    values: ({ location, externalIds }) => [location, externalIds],
  },
  {
    name: 'change 500 products by id',
    types: 'uuid, uuid[]',
    text: 'update products p set price = price + 1 from unnest($2) as v (id) where p.location_id = $1 and p.id = v.id',
    byId: 'update products p set price = price + 1 from unnest($2) as v (id) where p.id = v.id',
    values: ({ location, products }) => [location, products],
  },
  {
    name: 'stock of 5 products, locked',
    types: 'uuid, uuid[]',
    text: `select product_id, quantity from product_stock where location_id = $1 and product_id = any ($2)
      order by product_id for update`,
    byId: 'select product_id, quantity from product_stock where product_id = any ($2) and $1 is not null order by product_id for update',
    values: ({ location, bought }) => [location, bought],
  },
  {
    name: 'product list, first page',
    types: 'uuid',
    text: 'select id, name from products where location_id = $1 order by name, id limit 50',
    values: ({ location }) => [location],
  },
  {
    name: 'order list, first page, with payments',
    types: 'uuid',
    text: `with page as materialized (
        select id, created_at from orders where location_id = $1 order by created_at desc, id desc limit 50)
      select o.number, p.status from page join orders o on o.location_id = $1 and o.id = page.id
      join payments p on p.location_id = $1 and p.order_id = page.id`,
    values: ({ location }) => [location],
  },
  {
    name: 'order by id, with payment and lines',
    types: 'uuid, uuid',
    text: `select o.number, p.status, (select json_agg(i.name) from order_items i
        where i.location_id = o.location_id and i.order_id = o.id)
      from orders o join payments p on p.location_id = o.location_id and p.order_id = o.id
      where o.location_id = $1 and o.id = $2`,
    byId: `select o.number, p.status, (select json_agg(i.name) from order_items i where i.order_id = o.id)
      from orders o join payments p on p.order_id = o.id where o.id = $2 and $1 is not null`,
    values: ({ location, order }) => [location, order],
  },
  {
    name: 'record 250 attempts',
    types: 'uuid, uuid[]',
    text: `update webhook_deliveries d set attempts = attempts + 1, next_attempt_at = null
      from unnest($2) as r (id) where d.location_id = $1 and d.id = r.id`,
    byId: `update webhook_deliveries d set attempts = attempts + 1, next_attempt_at = null
      from unnest($2) as r (id) where d.id = r.id`,
    values: ({ location, deliveries }) => [location, deliveries],
  },
  {
    name: 'claim 50 due deliveries, with events',
    types: 'uuid, uuid',
    text: `with due as (
        select id, event_id from webhook_deliveries where location_id = $1 and endpoint_id = $2 and next_attempt_at <= now()
        order by next_attempt_at, id limit 50 for update skip locked)
      select v.body from due join events v on v.location_id = $1 and v.id = due.event_id`,
    byId: `with due as (
        select id, event_id from webhook_deliveries where endpoint_id = $2 and next_attempt_at <= now()
        order by next_attempt_at, id limit 50 for update skip locked)
      select v.body from due join events v on v.id = due.event_id`,
    values: ({ location, endpoint }) => [location, endpoint],
  },
  {
    name: 'settlement of a turn of 500 orders',
    types: 'uuid, uuid',
    text: `select pm.type, count(*), sum(p.amount) from orders o
      join payments p on p.location_id = o.location_id and p.order_id = o.id and p.status = 'completed'
      join payment_methods pm on pm.location_id = p.location_id and pm.id = p.payment_method_id
      where o.location_id = $1 and o.turn_id = $2 group by 1`,
    values: ({ location, turn }) => [location, turn],
  },
  {
    name: 'catalog tree',
    types: 'uuid',
    text: `with entries as materialized (
        select p.id, p.name, '{"id":"' || p.id || '"' || s.quantity as doc from products p
        left join product_stock s on s.location_id = $1 and s.product_id = p.id where p.location_id = $1
      ), shelves as (
        select l.category_id, string_agg(e.doc, ',' order by e.name, e.id) as list
        from product_categories l join entries e on e.id = l.product_id where l.location_id = $1 group by 1)
      select string_agg(c.name || s.list, ',') from categories c left join shelves s on s.category_id = c.id
      where c.location_id = $1`,
    values: ({ location }) => [location],
  },
  {
    name: 'sales of a year by day',
    types: 'uuid, timestamptz, timestamptz',
    text: `${sold} select date_trunc('day', s.created_at), count(*), sum(s.total), sum((
        select sum(i.quantity) from order_items i where i.location_id = $1 and i.order_id = s.id)) from sold s group by 1`,
    values: aYear,
  },
  {
    name: 'sales of a year by product',
    types: 'uuid, timestamptz, timestamptz',
    text: `${sold} select i.product_id, count(distinct s.id), sum(i.quantity), sum(i.total)
      from sold s join order_items i on i.location_id = $1 and i.order_id = s.id group by 1`,
    values: aYear,
  },
  {
    name: 'sales of a year by category',
    types: 'uuid, timestamptz, timestamptz',
    text: `${sold} select c.id, count(distinct s.id), sum(i.total)
      from sold s join order_items i on i.location_id = $1 and i.order_id = s.id left join (
        select distinct on (l.product_id) l.product_id, c.id from product_categories l
        join categories c on c.location_id = l.location_id and c.id = l.category_id
        where l.location_id = $1 order by l.product_id, c.priority) c on c.product_id = i.product_id group by 1`,
    values: aYear,
  },
  {
    name: 'export of a year',
    types: 'uuid, timestamptz, timestamptz',
    set: 'set local enable_sort = off',
    text: `select o.id, o.number, p.status, (select json_agg(i.name) from order_items i
        where i.location_id = o.location_id and i.order_id = o.id)
      from orders o join payments p on p.location_id = o.location_id and p.order_id = o.id
      where o.location_id = $1 and o.created_at >= $2 and o.created_at < $3 order by o.created_at, o.id`,
    values: aYear,
  },
];

/** The indexes that `byId` is for. */
export const idIndexes: readonly string[] = [
  'create index on products (id)',
  'create index on products (external_id, location_id)',
  'create index on product_stock (product_id)',
  'create index on orders (id)',
  'create index on order_items (order_id)',
  'create index on payments (order_id)',
  'create index on events (id)',
  'create index on webhook_deliveries (id)',
  'create index on webhook_deliveries (endpoint_id, next_attempt_at, id)',
];
