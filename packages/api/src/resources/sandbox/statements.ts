import { type Statement, statement } from '@comanda/db';

/** $1 location, $2 how often it was reset when the caller began, $3 how many rows at most. Null: another reset is done since. */
export const emptySandbox = statement<{ removed: number | null }>(
  'empty_sandbox',
  'select empty_sandbox($1::uuid, $2::bigint, $3::int) as removed',
);

/** $1 location. As text: it counts up for good. */
export const countResets = statement<{ resets: string }>(
  'count_sandbox_resets',
  'select sandbox_resets($1::uuid)::text as resets',
);

/** Counts on by $3, and gives the value before: $1 location, $2 the counter. Its row is held to the end of the transaction. */
export const countOn = statement<{ before: number }>(
  'count_on',
  `insert into internal.location_counters as c (location_id, name, value) values ($1::uuid, $2, $3::int)
   on conflict (location_id, name) do update set value = c.value + excluded.value returning (c.value - $3::int)::int as before`,
);

/** $1 location, $2 opening hours. */
export const openDemo = statement<never>(
  'open_demo',
  `update locations set paused = false, paused_until = null, pause_reason = null, opening_hours = $2::jsonb where id = $1::uuid`,
);

/** The statements that write the demo data: of each table, $1 location, $2 the rows as JSON. */
export const insertDemo = {
  paymentMethods: insertOf('payment_methods', 'id, name, type'),
  categories: insertOf('categories', 'id, external_id, name, priority'),
  products: insertOf('products', 'id, sku, external_id, name, description, price'),
  links: insertOf('product_categories', 'product_id, category_id'),
  stock: insertOf('product_stock', 'product_id, quantity, min_stock_alarm'),
  subselections: insertOf(
    'subselections',
    'id, product_id, external_id, name, min_selection, max_selection, single, position',
  ),
  items: insertOf('subselection_items', 'id, subselection_id, external_id, name, price, position'),
  menus: insertOf('menus', 'id, name, version, is_published, published_at'),
  menuCategories: insertOf('menu_categories', 'menu_id, category_id, position'),
  turns: insertOf('turns', 'id, batch_number, started_at'),
  orders: insertOf(
    'orders',
    `id, number, external_id, status, total, channel, is_take_away, identifier, created_at, payment_method_id, turn_id, cancel_reason,
     note, promised_at, guests, customer_name, customer_phone, delivery_lines, delivery_city, delivery_note, adjustments`,
  ),
  lines: insertOf(
    'order_items',
    'order_id, position, product_id, name, unit_price, quantity, total, selections',
  ),
  payments: insertOf('payments', 'id, order_id, payment_method_id, amount, status, created_at'),
} as const;

/** $1 whether what is inserted from here on was paid before the books (prisma/sql/money.sql). */
export const beforeBooks = statement<never>(
  'before_books',
  `select set_config('comanda.before_books', case when $1::boolean then 'true' else '' end, true)`,
);

/** $1 location, $2 turn, $3 when it ended. */
export const closeDemoTurn = statement(
  'close_demo_turn',
  `update turns set status = 'closed', ended_at = $3::timestamptz where location_id = $1::uuid and id = $2::uuid`,
);

function insertOf(table: string, columns: string): Statement<never> {
  return statement(
    `insert_demo_${table}`,
    `insert into ${table} (location_id, ${columns})
     select $1::uuid, ${columns} from jsonb_populate_recordset(null::${table}, $2::jsonb)`,
  );
}
