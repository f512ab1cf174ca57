import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identified } from '../../packages/db/src/index.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { sqlAt } from '../support/sql.ts';

const migrations = join(repositoryRoot, 'prisma', 'migrations');
const location = '00000000-0000-7000-8000-000000000000';
// The same word three times: composed, with separate accents, and with one of each.
const [composed, separate, mixed] = ['éé', 'e\u0301e\u0301', 'ée\u0301'];

// One character each that is two in NFC.
const longest = '\u0958'.repeat(255);

let database: TestDatabase;

const insert = (external_id: string, sku: string) =>
  sqlAt(database.url)`
    insert into products (location_id, external_id, sku, name, price, search_text)
    values (${location}, ${external_id}, ${sku}, ${'Cre\u0300me İ'}, 1, lower(${'Cre\u0300me İ'}::text collate "und-x-icu"))`;

beforeAll(async () => {
  database = await createEmptyDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'comanda-twins-'));
  for (const name of readdirSync(migrations).filter((name) => /^\d/.test(name) && name < '202611285100')) {
    mkdirSync(join(directory, name));
    cpSync(join(migrations, name), join(directory, name), { recursive: true });
  }
  await migrate(database.url, { directory });
  rmSync(directory, { recursive: true });
  await sqlAt(
    database.url,
  )`insert into locations (id, name, timezone, currency) values (${location}, 'Old', 'UTC', 'UYU')`;
  await insert(separate, 'a');
  await insert(composed, separate);
  await insert('other', composed);
  await sqlAt(database.url)(`
    insert into payment_methods (location_id, name, type) values ('${location}', '${longest}', 'cash'), ('${location}', '  ', 'cash');
    insert into orders (location_id, number, external_id, payment_method_id)
      select location_id, v.number, v.external_id, id
      from payment_methods, (values (1, '${separate} '), (2, '${composed} ')) v (number, external_id) where name = '  ';
    insert into subselections (location_id, product_id, external_id, name)
      select location_id, id, v.external_id, ' ' from products, (values ('${separate}'), ('${composed}')) v (external_id) where sku = 'a';
    insert into subselection_items (location_id, subselection_id, external_id, name)
      select s.location_id, s.id, v.external_id, 'Oat' from subselections s, (values ('${separate}'), ('${composed}')) v (external_id);
  `);
  await migrate(database.url);
}, 120_000);

afterAll(() => database.drop());

test('the migration leaves twins, an exact match wins, and no third spelling is taken', async () => {
  const sql = sqlAt(database.url);
  const spelled = async (column: 'external_id' | 'sku', value: string) => {
    const [row] = await sql<{ found: string }>(
      `select ${column} as found from products
       where location_id = $1 and id = ${identified('products', column, '$1::uuid', '$2::text')}`,
      [location, value],
    );
    return row?.found;
  };
  for (const column of ['external_id', 'sku'] as const)
    expect([
      await spelled(column, separate),
      await spelled(column, composed),
      await spelled(column, mixed),
    ]).toEqual([separate, composed, composed]);
  await expect(insert(mixed, 'b')).rejects.toThrow('products_external_id_form_idx');
  await expect(insert('new', mixed)).rejects.toThrow('products_sku_form_idx');
  await sql`update products set sku = 'c' where sku = ${separate}`;
  expect(await sql`select sku from products where sku_twin`).toEqual([]);
});

test('twins of orders and options are marked, too; blank names and those that NFC makes too long stay', async () => {
  const sql = sqlAt(database.url);
  for (const [table, marked] of Object.entries({ orders: 1, subselections: 1, subselection_items: 2 }))
    expect(await sql(`select from ${table} where external_id_twin`)).toHaveLength(marked);
  expect(await sql`select name from payment_methods order by name`).toEqual([
    { name: '  ' },
    { name: longest },
  ]);
  // A move of a row that is there, and a change of another field, pass.
  await sql`update orders set is_take_away = true`;
  await sql`update payment_methods set enabled = false`;
  await sql`update subselections set min_selection = 0, external_id = external_id`;
});

test('names are composed, and what a search looks in is folded', async () => {
  const rows = await sqlAt(database.url)<{
    name: string;
    search_text: string;
  }>`select name, search_text from products`;
  for (const { name, search_text } of rows) {
    expect(name).toBe('Crème İ');
    expect(search_text.startsWith('crème i\u001f')).toBe(true);
  }
  expect(rows).toHaveLength(3);
});
