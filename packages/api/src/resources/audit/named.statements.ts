/** What entries are about, as people know it. */
interface Thing {
  table: string;
  /** The column that names it. */
  name: 'name' | 'number' | 'batch_number' | 'url';
  /** The tables whose edits are about it, and what its procedures begin with. */
  of: readonly string[];
  /** Which row it is; else that of the entry's id at the entry's location. */
  row?: string;
}

const own = 't.location_id = a.location_id and t.id = a.resource_id';
const paid = `t.location_id = a.location_id and t.id = (select p.order_id from payments p
       where p.location_id = a.location_id and p.id = a.resource_id limit 1)`;

const things: readonly Thing[] = [
  { table: 'products', name: 'name', of: ['products', 'product_stock', 'product_categories'] },
  { table: 'categories', name: 'name', of: ['categories'] },
  { table: 'subselections', name: 'name', of: ['subselections'] },
  { table: 'subselection_items', name: 'name', of: ['subselection_items'] },
  { table: 'menus', name: 'name', of: ['menus', 'menu_categories'] },
  { table: 'payment_methods', name: 'name', of: ['payment_methods', 'paymentMethods'] },
  { table: 'orders', name: 'number', of: ['orders', 'order_items'] },
  { table: 'orders', name: 'number', of: ['payments'], row: paid },
  { table: 'turns', name: 'batch_number', of: ['turns'] },
  { table: 'api_keys', name: 'name', of: ['api_keys', 'keys'] },
  { table: 'webhook_endpoints', name: 'url', of: ['webhook_endpoints', 'webhookEndpoints'] },
  { table: 'locations', name: 'name', of: ['locations'], row: 't.id = a.resource_id' },
];

const kept = `coalesce(a.changes->'rows'->0, a.changes)`;

// Each entry looks up its one row, in no table that it is not about.
const cases = things.map(
  ({ table, name, of, row = own }) => `when about in ('${of.join("', '")}') then coalesce(
       (select t.${name}::text from ${table} t where ${row} limit 1),
       ${kept}->'after'->>'${name}', ${kept}->'before'->>'${name}')`,
);

/** The name of what entry `a` is about, or its number: today's, else the one that the entry keeps. */
export const resourceName = `(select case ${cases.join('\n     ')} end
     from (select coalesce(a.relation, split_part(a.operation, '.', 1)) as about) e where a.resource_id is not null)`;
