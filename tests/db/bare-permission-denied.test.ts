import { beforeAll, describe, expect, it, test } from 'vitest';
import { tableAccess } from '../../packages/db/src/roles/access.ts';
import { guardsOf } from '../../packages/db/src/tables/guards.ts';
import { tableNamed } from '../../packages/db/src/tables/index.ts';
import { createShop } from '../api/catalog-shop.ts';
import { readTables, type Table } from '../fuzz/hand-edits/tables.ts';
import { type Hand, openHand, useHand } from '../support/by-hand.ts';
import { useEditedShop } from './edited-shop.ts';
import { refusalOf, valuesFor } from './hand-edit.ts';
import { handEdits } from './hand-edits-of-others.ts';

// PostgreSQL looks for a privilege before any trigger runs, and says "permission denied". Where an admin edits at all, the
// guard is to speak, which says what to do instead.

const api = useEditedShop();
const admin = useHand(api, { role: 'admin' });
let tables: Table[];
beforeAll(async () => {
  await createShop(api, api.locationId);
  await admin.sql`
    with menu as (insert into menus (location_id, name) values (${api.locationId}, 'Lunch') returning id)
    insert into menu_categories (location_id, menu_id, category_id)
    select ${api.locationId}, menu.id, (select id from categories where location_id = ${api.locationId} limit 1) from menu`;
  const owner = await openHand(api.databaseUrl);
  tables = await readTables(owner);
  for (const table of tables) if (edited.has(table.name)) await fill(owner, table);
  await owner.close();
});

/** The tables in which an admin may write anything. */
const edited = new Map(
  tableAccess
    .filter((access) => access.edited.length + access.guarded.length > 0)
    .map((access) => [access.table, { columns: access.edited, guarded: access.guarded }]),
);
const named = [...edited].flatMap(([table, { guarded }]) => guarded.map((column) => ({ table, column })));
const editable = [...edited].flatMap(([table, { columns }]) => columns.map((column) => ({ table, column })));

test('every column that a guard names may be named by an admin, and no other except editable ones', () => {
  for (const [table, { columns, guarded }] of edited) {
    const known = guardsOf(tableNamed(table)).flatMap((guard) => ('never' in guard ? guard.never : []));
    const refused = known.filter((column) => !columns.includes(column));
    const ofLines = tables
      .find(({ name }) => name === table)
      ?.columns.map(({ name }) => name.replaceAll('"', ''));
    expect({ table, guarded: guarded.toSorted() }).toEqual({
      table,
      guarded: (table === 'order_items' ? (ofLines ?? []) : refused).toSorted(),
    });
  }
});

describe('an admin', () => {
  it.each(named)(
    'who changes $column of $table hears the sentence of the guard',
    async ({ table, column }) => {
      const location = table === 'locations' ? 'id' : 'location_id';
      const where = table === 'orders' ? ' and number > 0' : '';
      await expect(
        admin.sql(
          `update ${table} set ${column} = ${another(table, column)} where ${location} = $1${where}`,
          [api.locationId],
        ),
      ).rejects.toMatchObject({
        code: 'CM008',
        message: expect.stringMatching(
          /never change|keeps them|stays? |skipped automatically|changed by a command/,
        ),
      });
    },
  );

  it.each(editable)(
    'who changes $column of $table changes it, or hears a sentence: no function that is asked is out of reach',
    async ({ table, column }) => {
      await admin.sql('begin');
      const heard = await admin
        .sql(`update ${table} set ${column} = ${another(table, column)} returning 1`)
        .then((rows) => admin.sql('set constraints all immediate').then(() => `${rows.length} rows`))
        .catch((error: { code: string; message: string }) => `${error.code} ${error.message}`);
      await admin.sql('rollback');
      expect(heard).toMatch(/^([1-9]\d* rows$|CM\d{3} |23\d{3} |22023 )/);
    },
  );

  it.each(handEdits)(
    'who $edit is refused, with the same sentence in every table that admins edit',
    async (edit) => {
      const [, table = ''] = /(?:update|delete from|insert into) ([\w.]+)/.exec(edit.sql) ?? [];
      await expect(admin.sql(edit.sql, valuesFor(edit.sql, api.locationId))).rejects.toMatchObject(
        edited.has(table) ? refusalOf(edit) : { code: '42501' },
      );
    },
  );
});

/** Gives a table that nothing above has filled, as that of a new resource, a row of the location. */
async function fill(owner: Hand, { name, columns }: Table): Promise<void> {
  const [row] = await owner.sql(`select from ${name} limit 1`);
  if (row !== undefined) return;
  const needed = columns.filter((column) => !column.nullable && !column.hasDefault);
  const values = needed.map((column) => (column.name === 'location_id' ? '$1' : `'1'`));
  await owner.sql(
    `insert into ${name} (${needed.map((column) => column.name).join(', ')}) values (${values.join(', ')})`,
    [api.locationId],
  );
}

/** Another value for a column, as SQL. */
function another(table: string, column: string): string {
  const type = tables
    .find(({ name }) => name === table)
    ?.columns.find(({ name }) => name.replaceAll('"', '') === column)?.type;
  switch (type) {
    case 'uuid':
      return 'gen_random_uuid()';
    case 'timestamptz':
      return `${column} + interval '1 day'`;
    case 'bool':
      return `not ${column}`;
    case 'jsonb':
      return `'[{}]'`;
    case 'text':
      return `coalesce(${column}, '') || 'x'`;
    case 'bytea':
      return `sha256('another')`;
    case '_text':
      return `'{orders:write}'`;
    case 'bpchar':
      return `'JPY'`;
    case 'int2':
    case 'int4':
    case 'int8':
    case 'numeric':
      return `coalesce(${column}, 0) + 1`;
    case undefined:
      throw new Error(`there is no ${table}.${column}`);
    default:
      return `case ${column} when enum_first(${column}) then enum_last(${column}) else enum_first(${column}) end`;
  }
}
