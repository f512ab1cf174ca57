/** The edits that an admin may try, and the sentence that Studio shows for them. `$1` is the location. */
export interface RefusedEdit {
  sql: string;
  sentence: string | RegExp;
}

/** Updates of rows of one table: the refusal of each assignment. */
const updates = (
  table: string,
  where: string,
  said: Readonly<Record<string, string | RegExp>>,
): RefusedEdit[] =>
  Object.entries(said).map(([set, sentence]) => ({
    sql: `update ${table} set ${set} where ${table === 'locations' ? 'id' : 'location_id'} = $1 and ${where}`,
    sentence,
  }));

const empty = (column: string): string => `${column} must have a value: write one, or discard the edit`;
const blank = (column: string, table: string): string =>
  `${column} of ${table} must have characters that are seen, not only blanks`;
const amount = 'must be from 0 to 9999999999.99, with two decimals at most';
const quantity = 'must be from 0 to 9999999999.999, with three decimals at most';
const noNumber = (text: string): string =>
  `"${text}" is no number: write digits, and a point before decimals, as 12.50`;
const noValue = (text: string): string => `"${text}" is none of its values: choose one that the editor shows`;
const elsewhere = (column: string, target: string): string =>
  `${column}: no row of ${target} in this restaurant has this id, copy one from there`;
const foreign = (table: string): string => `(select id from ${table} where location_id <> $1 limit 1)`;
const lines = 'the lines of an order never change: cancel it and place another one (POST /v2/orders)';

/** A row of the catalog. */
export const refusedInTheCatalog: readonly RefusedEdit[] = [
  ...updates('products', `sku = 'cola'`, {
    'price = -1': `products.price ${amount}`,
    'price = 99999999999': `products.price ${amount}`,
    "price = 'abc'": noNumber('abc'),
    'tax_rate = 100.5':
      'products.tax_rate must be a percentage from 0 to 100, with four decimals at most, or empty',
    'name = null': empty('products.name'),
    "name = repeat('x', 256)": 'products.name must have 1 to 255 characters',
    "external_id = ' '": blank('external_id', 'products'),
    "external_id = E'a\\u0007b'":
      'products.external_id must have 1 to 255 characters, and no control characters',
    'sku = null': empty('products.sku'),
    "external_id = 'p-burger'": 'products.external_id: another row has p-burger, choose another one',
    "description = repeat('x', 10001)": 'products.description must have 10000 characters at most',
    'visible = null': empty('products.visible'),
    "visible = 'perhaps'": '"perhaps" cannot be read as boolean: write it another way',
    "id = 'x'": '"x" is no id: copy one from the row that is meant',
  }),
  ...updates('categories', `name = 'Food'`, {
    "name = '   '": blank('name', 'categories'),
    'priority = 9999999999': 'the number does not fit: write a number from -32768 to 32767',
    "priority = 'high'": '"high" is no whole number: write digits alone',
    "external_id = 'c-drinks'": 'categories.external_id: another row has c-drinks, choose another one',
    "image_url = 'javascript:alert(1)'":
      'categories.image_url must be an http or https address of 2048 characters at most, or empty',
  }),
  ...updates('product_stock', 'enabled', {
    'quantity = null': empty('product_stock.quantity'),
    'quantity = -1': `product_stock.quantity ${quantity}`,
    'quantity = 0.0005': `product_stock.quantity ${quantity}`,
    'quantity = quantity - 0.3355': `product_stock.quantity ${quantity}`,
    'min_stock_alarm = -1': `product_stock.min_stock_alarm ${quantity}`,
    'min_stock_alarm = 0.0004': `product_stock.min_stock_alarm ${quantity}`,
    "quantity = '12,5'": noNumber('12,5'),
  }),
  ...updates(
    'product_categories',
    `product_id = (select id from products where location_id = $1 and sku = 'cola')`,
    {
      [`category_id = ${foreign('categories')}`]: elsewhere('product_categories.category_id', 'categories'),
    },
  ),
  ...updates('subselections', `name = 'Extras'`, {
    'min_selection = 3, max_selection = 2':
      'subselections.min_selection must be 0 or more, and max_selection must not be less: change both at once',
    'min_selection = null': empty('subselections.min_selection'),
    [`product_id = ${foreign('products')}`]: elsewhere('subselections.product_id', 'products'),
    "name = ' '": blank('name', 'subselections'),
  }),
  ...updates('subselection_items', `name = 'Bacon'`, {
    'price = null': empty('subselection_items.price'),
    'price = -1': `subselection_items.price ${amount}`,
    "price = '12,50'": noNumber('12,50'),
    'min = 5, max = 2':
      'subselection_items.min must be 0 or more, and max must not be less: change both at once',
    'stock_quantity = -1': `subselection_items.stock_quantity ${quantity}`,
    'stock_quantity = 1.0005': `subselection_items.stock_quantity ${quantity}`,
  }),
  ...updates('menus', `name = 'Dinner'`, {
    "name = ' '": blank('name', 'menus'),
    'is_published = true': 'menus.is_published: another menu of this restaurant is published, end that first',
  }),
  ...updates('menu_categories', 'true', {
    [`category_id = ${foreign('categories')}`]: elsewhere('menu_categories.category_id', 'categories'),
    'position = 2147483647': 'menu_categories.position must be 1000000000 at most',
  }),
  {
    sql: `insert into product_categories (location_id, product_id, category_id)
      select location_id, product_id, category_id from product_categories where location_id = $1 limit 1`,
    sentence: 'product_categories: there is such a row, with the same product_id and category_id',
  },
  {
    sql: `insert into product_stock (location_id, product_id, quantity)
      select location_id, product_id, 1 from product_stock where location_id = $1 limit 1`,
    sentence: 'product_stock.product_id: another row has the same id, choose another one',
  },
  {
    sql: `insert into products (location_id, sku, name) values ($1, 'new', 'New')`,
    sentence: empty('products.price'),
  },
];

/** A row of orders and money. Order 1 is paid and its turn is settled; order 2 is pending in the open turn. */
export const refusedOfMoney: readonly RefusedEdit[] = [
  ...updates('orders', 'number = 2', {
    "status = 'returned'": noValue('returned'),
    "status = 'closed'": 'an order cannot move from pending to closed',
    "identifier = repeat('x', 5000)": 'identifier must have at most 255 characters',
    "external_id = ' '": blank('external_id', 'orders'),
    'external_id = (select external_id from orders where location_id = $1 and number = 1)':
      /^orders\.external_id: another row has PO-\S+, choose another one$/,
    'is_take_away = null': empty('orders.is_take_away'),
    "channel = ''": blank('channel', 'orders'),
    "status = 'canceled', cancel_reason = repeat('x', 501)": 'cancel_reason must have at most 500 characters',
  }),
  ...updates('payments', 'true', {
    "status = 'pending'": 'a payment cannot move from completed to pending',
    "status = 'paid'": noValue('paid'),
  }),
  ...updates('turns', `status = 'closed'`, {
    "status = 'open'": 'a closed turn cannot be opened again',
    'status = null': empty('turns.status'),
  }),
  ...updates('payment_methods', 'true', {
    "name = ' '": blank('name', 'payment_methods'),
    "type = 'bitcoin'": noValue('bitcoin'),
    'enabled = null': empty('payment_methods.enabled'),
  }),
  {
    sql: 'insert into turns (location_id) values ($1)',
    sentence: 'turns.status: a turn of this restaurant is open, close that first',
  },
  {
    sql: `delete from turns where location_id = $1 and status = 'open'`,
    sentence: 'turns: rows of orders refer to this row, so it stays: change or delete those first',
  },
  {
    sql: 'insert into orders (location_id, payment_method_id) values ($1, gen_random_uuid())',
    sentence: elsewhere('orders.payment_method_id', 'payment_methods'),
  },
  {
    sql: `insert into payments (location_id, order_id, payment_method_id, amount)
      select location_id, order_id, payment_method_id, amount from payments where location_id = $1 and status <> 'rejected' limit 1`,
    sentence: 'payments.order_id: the order has a payment that is not rejected, reject that first',
  },
  {
    sql: `merge into orders o using (select $1::uuid as id) l on o.location_id = l.id and o.number = 1 when matched then delete`,
    sentence:
      'an order that has its number is kept, because numbers have no gaps: cancel it (POST /v2/orders/{id}/cancel)',
  },
  {
    sql: `do $do$ begin for n in 1..3 loop update orders set total = n where number = 2; end loop; end $do$`,
    sentence: 'the total of an order never changes: cancel it and place another one (POST /v2/orders)',
  },
  {
    sql: `with gone as (delete from products where location_id = $1 and sku = 'two' returning 1)
      update payments set status = 'pending' where location_id = $1 and status = 'completed'`,
    sentence: 'a payment cannot move from completed to pending',
  },
  {
    sql: `insert into orders select * from orders where location_id = $1 and number = 2
      on conflict (location_id, id) do update set total = 1`,
    sentence: /^an order is made now, and gets its number and turn at the commit: leave out number/,
  },
  {
    sql: `insert into order_items select * from order_items where location_id = $1
      on conflict (location_id, order_id, position) do update set quantity = 9`,
    sentence: lines,
  },
];

/** A restaurant, its keys and endpoints, and what only the service writes. */
export const refusedOfOthers: readonly RefusedEdit[] = [
  ...updates('locations', 'true', {
    "timezone = 'UYT3'":
      'timezone must be an IANA time zone, such as America/Montevideo: "UYT3" is none of those in time_zones',
    'timezone = null': empty('locations.timezone'),
    "name = '   '": blank('name', 'locations'),
    "currency = 'UYUU'": 'the text is too long: write 3 characters at most',
    "status = 'closed'": noValue('closed'),
  }),
  ...updates('api_keys', 'revoked_at is null', {
    "name = ' '": blank('name', 'api_keys'),
    "permissions = '{}'": 'a key without permissions may do nothing: revoke it instead (comanda keys revoke)',
    'per_minute = 99999999999': 'the number does not fit: write a number from -2147483648 to 2147483647',
    "expires_at = 'tomorrows'": '"tomorrows" is no time: write it as 2026-11-22 21:00:00Z',
  }),
  ...updates('webhook_endpoints', 'true', {
    "events = '{}'": 'an endpoint without events hears of nothing: set its status to disabled instead',
    "events = 'order.created'": '"order.created" is no list: write it in braces, as {one,two}',
    'url = null': empty('webhook_endpoints.url'),
    "api_version = 'v3'": 'webhook_endpoints.api_version must be v1 or v2',
    "status = 'paused'": noValue('paused'),
  }),
  ...updates('sync_jobs', 'true', {
    "status = 'failed'": "sync_jobs: sync jobs are the service's: start one by POST /v2/sync/products",
  }),
  ...updates('certifications', 'true', {
    "status = 'passed'":
      "certifications: certifications are the service's: start one by POST /v2/certifications",
  }),
  ...updates('orders_today', 'true', {
    "status = 'ready'": 'orders_today shows rows of other tables: follow its arrows, and edit there',
  }),
  {
    sql: 'delete from failing_deliveries where location_id = $1',
    sentence: 'failing_deliveries shows rows of other tables: follow its arrows, and edit there',
  },
  {
    sql: 'insert into settlement_entries (location_id) values ($1)',
    sentence:
      'settlement_entries: entries are made by themselves: complete the payment, or record a refund (payments.refund)',
  },
  {
    sql: `insert into audit_entries (location_id, actor_kind, operation) values ($1, 'database', 'update')`,
    sentence: 'audit_entries: the audit is written by the service alone',
  },
  { sql: 'delete from locations where id = $1', sentence: /^locations: .+\. Its rows are not deleted$/ },
  {
    sql: 'delete from api_keys where location_id = $1',
    sentence: /^api_keys: .+\. Its rows are not deleted$/,
  },
];
