/** The names that people know the subjects of entries by. */
interface Thing {
  table: string;
  /** The column that names it. */
  name: 'name' | 'number' | 'batch_number' | 'url';
  /** The tables whose edits are about it, and what its procedures begin with. */
  of: readonly string[];
  /** Which row it is, of an id; else that of the id at the entry's location. */
  row?: (id: string) => string;
}

const own = (id: string): string => `t.location_id = a.location_id and t.id = ${id}`;
const paid = (
  id: string,
): string => `t.location_id = a.location_id and t.id = (select p.order_id from payments p
       where p.location_id = a.location_id and p.id = ${id} limit 1)`;

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
  { table: 'locations', name: 'name', of: ['locations'], row: (id) => `t.id = ${id}` },
];

// Each looks up its one row, in no table that it is not about. `kept` is what the entry keeps of the row.
const nameOf = (about: string, id: string, kept: string): string => {
  const cases = things.map(
    ({ table, name, of, row = own }) => `when ${about} in ('${of.join("', '")}') then coalesce(
       (select t.${name}::text from ${table} t where ${row(id)} limit 1),
       ${kept}->'after'->>'${name}', ${kept}->'before'->>'${name}')`,
  );
  return `case ${cases.join('\n     ')} end`;
};

const ofOne = `select ${nameOf('about', 'a.resource_id', `coalesce(a.changes->'rows'->0, a.changes)`)}
     from (select coalesce(a.relation, split_part(a.operation, '.', 1)) as about) e where a.resource_id is not null`;

// As record_hand_edit() reads it.
const idOfRow = `coalesce(r.kept->'key'->>'id', r.kept->'key'->>'order_id', r.kept->'key'->>'product_id', r.kept->'key'->>'menu_id')::uuid`;

// Several rows may be of one thing, as the lines of an order are: each is named once.
const ofSeveral = `select string_agg(${nameOf('a.relation', 'first.id', 'first.kept')}, ', ' order by first.at)
     from (
       select key.id, min(key.at) as at, (array_agg(key.kept order by key.at))[1] as kept
       from (
         select ${idOfRow} as id, r.kept, r.at
         from jsonb_array_elements(a.changes->'rows') with ordinality r (kept, at)
       ) key
       group by key.id order by 2 limit 3
     ) first
     where a.resource_id is null and a.relation is not null`;

// The changes of a program, of which an entry has an array a column; `only` one row where it is given.
const ofProgram = (
  only: string,
): string => `select string_agg(${nameOf('a.relation', 'r.id', 'r.kept')}, ', ' order by r.at)
     from (
       select i.id, i.at, jsonb_build_object('after', jsonb_build_object('name', a.changes->'after'->'name'->(i.at::int - 1)),
         'before', jsonb_build_object('name', a.changes->'before'->'name'->(i.at::int - 1))) as kept
       from unnest(a.resource_ids) with ordinality i (id, at)
       where ${only} is null or ${only} in (a.id, i.id) order by i.at limit 3
     ) r`;

/**
 * The name of what entry `a` is about, or its number: today's, else the one that the entry keeps. Of several, the first three's; `only`
 * is SQL for the id of the one row that is asked for, or null.
 */
export const resourceName = (only: string): string =>
  `case when a.resource_ids is not null then (${ofProgram(only)}) else coalesce((${ofOne}), (${ofSeveral})) end`;

/**
 * The names of `rows`, SQL for those that entry `a` shows, in their order: of each row that is `wanted`, or of all where that is the entry;
 * null for the others. A page has too many rows to name all.
 */
export const rowNames = (rows: string, wanted: string): string =>
  `(select jsonb_agg(case when ${wanted} in (a.id, r.id) then ${nameOf('a.relation', 'r.id', 'r.kept')} end order by r.at)
     from (select ${idOfRow} as id, r.kept, r.at from jsonb_array_elements(${rows}) with ordinality r (kept, at)) r)`;
