import { afterAll, beforeAll, expect, it } from 'vitest';
import { tableAccess } from '../../packages/db/src/roles/access.ts';
import { type Hand, openHand, useHand } from '../support/by-hand.ts';
import { useEditedShop } from './edited-shop.ts';

// Whatever role admin may name in an update is changed, or refused with a sentence: no function that a guard or a trigger asks
// is out of its reach (42501).

const api = useEditedShop();
const owner = useHand(api);
let admin: Hand;
beforeAll(async () => {
  admin = await openHand(api.databaseUrl, 'admin');
  await owner.sql(
    `with category as (insert into categories (location_id, name) values ($1, 'Bread') returning id),
       menu as (insert into menus (location_id, name) values ($1, 'Day') returning id),
       product as (select id from products where location_id = $1 limit 1),
       stock as (insert into product_stock (location_id, product_id, quantity) select $1, id, 5 from product),
       linked as (insert into product_categories (location_id, product_id, category_id) select $1, p.id, c.id from product p, category c),
       shown as (insert into menu_categories (location_id, menu_id, category_id) select $1, m.id, c.id from menu m, category c),
       choice as (insert into subselections (location_id, product_id, name) select $1, id, 'Size' from product returning id)
     insert into subselection_items (location_id, subselection_id, name) select $1, id, 'Large' from choice`,
    [api.locationId],
  );
});
afterAll(() => admin.close());

const columns = tableAccess().flatMap(({ table, columns = '', guarded = '' }) =>
  `${columns} ${guarded}`.split(' ').flatMap((column) => (column === '' ? [] : [{ table, column }])),
);

/** Another value of a column, by its type. */
const others: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => 'uuid_v7()',
  text: (column) => `coalesce(${column}, '') || 'x'`,
  numeric: (column) => `coalesce(${column}, 0) + 1`,
  smallint: (column) => `coalesce(${column}, 0) + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `not coalesce(${column}, false)`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 second'`,
  'text[]': () => `'{orders:read}'`,
  character: () => `'JPY'`,
  bytea: () => `sha256('another')`,
  jsonb: () => `'[{"x": 1}]'`,
};

it.each(columns)('$column of $table', async ({ table, column }) => {
  const [found] = await owner.sql<{ type: string; rows: number; labels: string[] }>(
    `select coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text as type, (select count(*)::int from ${table}) as rows,
       array(select e.enumlabel::text from pg_enum e where e.enumtypid = a.atttypid order by e.enumsortorder) as labels
     from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = $1::regclass and a.attname = $2`,
    [table, column],
  );
  if (found === undefined) throw new Error(`${table} has no column ${column}`);
  expect(found.rows, `rows of ${table}`).toBeGreaterThan(0);
  const other = others[found.type];
  if (other === undefined && found.labels.length === 0) throw new Error(`no other value of ${found.type}`);
  const values = other === undefined ? found.labels.map((label) => `'${label}'`) : [other(column)];
  for (const value of values) {
    await admin.sql('begin');
    const code = await admin
      .sql(`update ${table} set ${column} = ${value}`)
      .then(() => admin.sql('set constraints all immediate'))
      .then(
        () => 'changed',
        (error: { code: string; message: string }) => `${error.code} ${error.message}`,
      );
    await admin.sql('rollback');
    expect(code).toMatch(/^(changed|CM\d{3} .* |23\d{3} |22023 )/);
  }
});
