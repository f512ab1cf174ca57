/**
 * The reference's tables and functions: the same data as Comanda's, and only what the measured work needs. No keys,
 * no limits, no capture, no guards: what a careful engineer would write by hand for these few requests alone.
 */
export const schema = `
create table location (id uuid primary key, products bigint not null default 0, orders bigint not null default 0);
create table category (location_id uuid, id uuid, external_id text, name text not null, priority int not null,
  primary key (location_id, id));
create table product (location_id uuid, id uuid, external_id text, sku text not null, name text collate "C" not null,
  description text not null, price numeric(12,2) not null, visible boolean not null default true,
  image_url text not null default '', primary key (location_id, id));
create index on product (location_id, name, id);
create table product_category (location_id uuid, product_id uuid, category_id uuid,
  primary key (location_id, product_id, category_id));
create index on product_category (location_id, category_id, product_id);
create table product_stock (location_id uuid, product_id uuid, enabled boolean not null, quantity numeric(13,3) not null,
  min_stock_alarm numeric(13,3) not null default 0, primary key (location_id, product_id)) with (fillfactor = 50);
create table subselection (location_id uuid, id uuid, product_id uuid, external_id text, name text not null,
  min_selection int not null, max_selection int not null, primary key (location_id, id));
create index on subselection (location_id, product_id);
create table subselection_item (location_id uuid, id uuid, subselection_id uuid, external_id text, name text not null,
  price numeric(12,2) not null, position int not null, primary key (location_id, id));
create index on subselection_item (location_id, subselection_id);
create table orders (location_id uuid, id uuid, number bigint not null, external_id text, status text not null default 'pending',
  total numeric(12,2) not null, channel text, is_take_away boolean not null, payment_method_id uuid not null,
  created_at timestamptz(3) not null default now(), primary key (location_id, id), unique (location_id, external_id));
create index on orders (location_id, created_at desc, id desc);
create table order_item (location_id uuid, order_id uuid, position int, product_id uuid not null, name text not null,
  unit_price numeric(12,2) not null, quantity numeric(13,3) not null, total numeric(12,2) not null,
  primary key (location_id, order_id, position));
create table payment (location_id uuid, id uuid default gen_random_uuid(), order_id uuid not null,
  amount numeric(12,2) not null, status text not null default 'pending', primary key (location_id, id),
  unique (location_id, order_id));

create function product_json(location uuid, ids uuid[]) returns table (id uuid, doc json) language sql stable as $$
  select p.id, json_build_object('id', p.id, 'external_id', p.external_id, 'sku', p.sku, 'name', p.name,
    'description', p.description, 'price', p.price, 'visible', p.visible, 'image_url', p.image_url,
    'stock', json_build_object('enabled', s.enabled, 'quantity', s.quantity, 'min_stock_alarm', s.min_stock_alarm),
    'categories', (select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.priority, c.name, c.id)
      from product_category l join category c on c.location_id = l.location_id and c.id = l.category_id
      where l.location_id = p.location_id and l.product_id = p.id))
  from product p left join product_stock s on s.location_id = p.location_id and s.product_id = p.id
  where p.location_id = location and p.id = any (ids)
$$;

create function order_json(location uuid, ids uuid[]) returns table (id uuid, doc json) language sql stable as $$
  select o.id, json_build_object('id', o.id, 'number', o.number, 'status', o.status, 'total', o.total,
    'created_at', o.created_at, 'payment', json_build_object('id', p.id, 'status', p.status),
    'external_id', o.external_id, 'channel', o.channel, 'is_take_away', o.is_take_away,
    'payment_method_id', o.payment_method_id,
    'items', (select json_agg(json_build_object('product_id', i.product_id, 'name', i.name, 'quantity', i.quantity,
        'unit_price', i.unit_price, 'total', i.total) order by i.position)
      from order_item i where i.location_id = o.location_id and i.order_id = o.id))
  from orders o join payment p on p.location_id = o.location_id and p.order_id = o.id
  where o.location_id = location and o.id = any (ids)
$$;

create function create_order(p_location uuid, p_order uuid, body json) returns text language plpgsql as $$
declare
  v_number bigint;
  v_total numeric;
  v_answer text;
begin
  with wanted as (
    select (i.x->>'product_id')::uuid as id, sum((i.x->>'quantity')::numeric) as quantity
    from json_array_elements(body->'items') as i (x) group by 1
  ), locked as (
    select s.product_id from product_stock s join wanted w on w.id = s.product_id
    where s.location_id = p_location order by s.product_id for update of s
  )
  update product_stock s set quantity = s.quantity - w.quantity
  from wanted w join locked l on l.product_id = w.id
  where s.location_id = p_location and s.product_id = w.id and s.quantity >= w.quantity;
  insert into order_item (location_id, order_id, position, product_id, name, unit_price, quantity, total)
  select p_location, p_order, i.n, p.id, p.name, p.price, (i.x->>'quantity')::numeric,
    round(p.price * (i.x->>'quantity')::numeric, 2)
  from json_array_elements(body->'items') with ordinality as i (x, n)
  join product p on p.location_id = p_location and p.id = (i.x->>'product_id')::uuid;
  select sum(total) into v_total from order_item where location_id = p_location and order_id = p_order;
  update location set orders = orders + 1 where id = p_location returning orders into v_number;
  insert into orders (location_id, id, number, external_id, total, channel, is_take_away, payment_method_id)
  values (p_location, p_order, v_number, body->>'external_id', v_total, body->>'channel',
    (body->>'is_take_away')::boolean, (body->>'payment_method_id')::uuid);
  insert into payment (location_id, order_id, amount) values (p_location, p_order, v_total);
  select doc::text into v_answer from order_json(p_location, array[p_order]);
  return v_answer;
end $$;

`;
