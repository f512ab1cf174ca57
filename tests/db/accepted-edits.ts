/** The manual edits of an admin in a support day. `$1` is the location. */
export interface AcceptedEdit {
  what: string;
  sql: string;
  /** The statements that the audit has of it: `update products 1`. */
  entries: readonly string[];
  /** Tables that triggers write because of it, and of which no entry is. */
  follows?: readonly string[];
  /** A column that an undo does not set back, since it counts skipped deliveries. */
  countsOn?: string;
  /** Why none of it can be undone, as its entry says beforehand. */
  kept?: RegExp;
}

const product = (sku: string): string =>
  `(select id from products where location_id = $1 and sku = '${sku}')`;
const category = (name: string): string =>
  `(select id from categories where location_id = $1 and name = '${name}')`;
/** Updates of one row of a table: the assignment, by what it does. */
const updates = (
  table: string,
  where: string,
  sets: Readonly<Record<string, string>>,
  more: Partial<AcceptedEdit> = {},
): AcceptedEdit[] =>
  Object.entries(sets).map(([what, set]) => ({
    what,
    sql: `update ${table} set ${set} where ${table === 'locations' ? 'id' : 'location_id'} = $1 and ${where}`,
    entries: [`update ${table} 1`],
    ...more,
  }));

/** Each is accepted, in this order. Order 1 is paid and its turn is settled; orders 2 and 3 are pending in the open turn. */
export const acceptedEdits: readonly AcceptedEdit[] = [
  ...updates('products', `sku = 'cola'`, {
    'the price of a product': 'price = 99.9',
    'a name of 200 characters with an emoji': `name = '☕ ' || repeat('ñ', 198)`,
    'a hidden product': 'visible = not visible',
    'a sku, a description, a picture and a foreign id': `sku = 'cola-2', description = E'a\\nb', image_url = 'https://images.example/c.png', external_id = 'x-2'`,
  }),
  {
    what: 'the price of a whole category',
    sql: `update products p set price = round(p.price * 1.1, 2) from product_categories c
      where c.location_id = $1 and p.location_id = $1 and p.id = c.product_id and c.category_id = ${category('Drinks')}
        and p.price > 0`,
    entries: ['update products 2'],
  },
  {
    what: 'prices by MERGE',
    sql: `merge into products p using (values ('two', 7), ('agua', 8)) v (sku, price)
      on p.location_id = $1 and p.sku = v.sku when matched then update set price = v.price`,
    entries: ['update products 2'],
  },
  {
    what: 'prices row by row in a DO block',
    sql: `do $do$ declare found record; begin
      for found in select location_id, id from products where sku in ('two', 'agua') order by sku loop
        update products p set price = p.price + 1 where p.location_id = found.location_id and p.id = found.id;
      end loop; end $do$`,
    entries: ['update products 1', 'update products 1'],
  },
  {
    what: 'categories that come, or are there, by ON CONFLICT',
    sql: `insert into categories (location_id, name, external_id) values ($1, 'Food', 'c-food'), ($1, 'Sweets', 'c-sweets')
      on conflict (location_id, external_id) do update set priority = 9`,
    entries: ['insert categories 1', 'update categories 1'],
  },
  ...updates('categories', `name = 'Drinks'`, {
    'the place and the picture of a category': `priority = -3, visible = false`,
  }),
  ...updates('product_stock', `product_id = ${product('burger')}`, {
    'a stock that is counted': 'quantity = 17.5',
  }),
  ...updates('product_stock', `product_id = ${product('alone')}`, {
    'a stock that is watched from now on, with an alarm': 'enabled = true, min_stock_alarm = 2',
  }),
  ...updates(
    'product_categories',
    `product_id = ${product('two')}`,
    { 'a product that goes to another category': `category_id = ${category('Nothing')}` },
    // The category is part of the key, so the row that was is gone, and another one came.
    { entries: ['update product_categories 2'] },
  ),
  ...updates('subselections', `name = 'Extras'`, {
    'how many of a choice are taken': 'min_selection = 1, max_selection = 2',
  }),
  ...updates('subselection_items', `name = 'Bacon'`, {
    'the price and the stock of an option': 'price = 3.25, stock_quantity = 8, visible = true',
  }),
  ...updates('menus', `name = 'Dinner'`, {
    'a menu that is published': 'is_published = true',
    'a menu that is published no more': `is_published = false, name = 'Supper'`,
  }),
  ...updates('menu_categories', 'true', { 'the place of a category in a menu': 'position = 7' }),
  ...updates(
    'payment_methods',
    'id = (select id from payment_methods where location_id = $1 order by id limit 1)',
    { 'a payment method that is disabled': `enabled = false, name = 'Till'` },
  ),
  {
    what: 'another payment method',
    sql: `insert into payment_methods (location_id, name, type) values ($1, 'Card', 'card')`,
    entries: ['insert payment_methods 1'],
  },
  ...updates('orders', 'number = 2', {
    'what an order is called': `identifier = 'Ana', external_id = 'ERP-2', channel = 'phone', is_take_away = true`,
  }),
  ...updates(
    'orders',
    'number = 2',
    { 'an order that is ready': `status = 'ready'` },
    { kept: /^an order moves back with the deed repair alone$/ },
  ),
  ...updates(
    'orders',
    'number = 2',
    { 'an order that is canceled': `status = 'canceled', cancel_reason = 'guest left'` },
    { follows: ['product_stock', 'payments'], kept: /^an order moves back with the deed repair alone$/ },
  ),
  {
    what: 'payments completed during the deletion of a product',
    sql: `with gone as (delete from products where location_id = $1 and sku = 'two' returning 1)
      update payments set status = 'completed' where location_id = $1 and status = 'pending'`,
    entries: ['delete products 1', 'update payments 1'],
    kept: /^a payment moves back with the deed repair alone$/,
  },
  {
    what: 'stock written during the deletion of a product that has some',
    sql: `with gone as (delete from products where location_id = $1 and sku = 'alone' returning 1)
      update product_stock set quantity = 777 where location_id = $1 and enabled`,
    entries: ['delete products 1', 'update product_stock 2'],
  },
  {
    what: 'a product that is deleted with all it has',
    sql: `delete from products where location_id = $1 and sku = 'burger'`,
    entries: ['delete products 1'],
  },
  {
    what: 'a category that is deleted with its links',
    sql: `delete from categories where location_id = $1 and name = 'Drinks'`,
    entries: ['delete categories 1'],
  },
  ...updates(
    'turns',
    `status = 'open'`,
    { 'a turn that is closed': `status = 'closed'` },
    { follows: ['settlements'], kept: /^a turn that was closed is settled, and stays closed$/ },
  ),
  { what: 'the next turn', sql: 'insert into turns (location_id) values ($1)', entries: ['insert turns 1'] },
  ...updates('locations', 'true', {
    'name and time zone of a restaurant': `name = 'Bar Nuevo', timezone = 'America/Santiago'`,
  }),
  ...updates('api_keys', `name = 'another'`, {
    'the name and the limit of a key': `name = 'till', per_minute = 30`,
  }),
  ...updates(
    'api_keys',
    `name = 'till'`,
    { 'a key that is revoked': 'revoked_at = now()' },
    { kept: /^a key is revoked for good$/ },
  ),
  ...updates('webhook_endpoints', 'true', {
    'the address and the events of an endpoint': `url = 'https://example.com/other', events = '{order.created,turn.open}'`,
  }),
  ...updates(
    'webhook_endpoints',
    'true',
    { 'an endpoint that is disabled': `status = 'disabled'` },
    { countsOn: 'delivers_after' },
  ),
];
