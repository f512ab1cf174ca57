import { beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../extras/studio/src/refusals.ts';
import { tables } from '../../packages/db/src/tables/index.ts';
import { createShop } from '../api/catalog-shop.ts';
import { useHand } from '../support/by-hand.ts';
import { thrownBy } from '../support/thrown.ts';
import { useEditedShop } from './edited-shop.ts';
import { valuesFor } from './hand-edit.ts';
import { fieldsOf, rowOf, sameReason, valuesFor as valuesOf } from './refused-by-rest.ts';
import { refusedInTheCatalog, refusedOfMoney, refusedOfOthers } from './refused-edits.ts';
import { statementFor } from './statement-for.ts';

// The edits of a support day that must be refused: with a sentence that a person understands, and without any change.
// Other refusals are in `hand-edits.test.ts`, `bare-permission-denied.test.ts` and `extras/studio/tests`.

const api = useEditedShop();
const owner = useHand(api);
const admin = useHand(api, { role: 'admin' });

beforeAll(async () => {
  await createShop(api, api.locationId);
  const [other] = await owner.sql<{ id: string }>`
    select id from locations where id <> ${api.locationId} limit 1`;
  await createShop(api, other?.id ?? '');
  for (const text of [
    `update products set external_id = 'p-burger' where location_id = $1 and sku = 'burger'`,
    `insert into payment_methods (location_id, name, type) values ($1, 'Voucher', 'other')`,
    `insert into menus (location_id, name) values ($1, 'Lunch'), ($1, 'Dinner')`,
    `update menus set is_published = true where location_id = $1 and name = 'Lunch'`,
    `insert into menu_categories (location_id, menu_id, category_id)
     select $1, m.id, c.id from menus m join categories c using (location_id)
     where location_id = $1 and m.name = 'Lunch' and c.name = 'Food'`,
    `update payments set status = 'completed' where location_id = $1 and status = 'pending'`,
  ])
    await admin.sql(text, [api.locationId]);
});

/** PostgreSQL's own message where a person reads no sentence: names of constraints, and rows. */
const raw =
  /violates|constraint|(?:_check|_key|_idx|_fkey)\b|permission denied|Failing row|invalid input|out of range/;

/** The rows of the table, their events, and their audit entries. */
const stateOf = (sql: string): Promise<unknown[]> => {
  const [, table = ''] = /(?:update|delete from|into) (\w+)/.exec(sql) ?? [];
  return owner.sql(
    `select (select md5(string_agg(t::text, ',' order by t::text)) from ${table} t) as rows,
       (select count(*) from internal.captured_changes) as changes, (select count(*) from audit_entries) as entries`,
  );
};

describe.each([
  { of: 'the catalog', edits: refusedInTheCatalog },
  { of: 'orders and money', edits: refusedOfMoney },
  { of: 'others', edits: refusedOfOthers },
])('an edit of $of is refused with a sentence, and nothing is left of it', ({ edits }) => {
  it.each(edits)('$sql', async ({ sql, sentence }) => {
    const before = await stateOf(sql);
    const error = await thrownBy(admin.sql(sql, valuesFor(sql, api.locationId)));
    expect(error, 'it was accepted').toBeDefined();
    const { message } = refusalOf(error, { readOnly: false });
    expect(message).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
    expect(message).not.toMatch(raw);
    expect(await stateOf(sql)).toEqual(before);
  });
});

describe('what the API refuses of a field, it refuses of an edit of the column, for the same reason', () => {
  const columns = tables
    .filter(({ access }) => access.people === 'edit' || access.people === 'keep')
    .flatMap((table) =>
      Object.entries(table.columns).flatMap(([column, { edited, length }]) =>
        edited === undefined
          ? []
          : [
              {
                table: table.name,
                column,
                field: fieldsOf(table.name)[column],
                hasLength: length !== undefined,
              },
            ],
      ),
    );

  it('knows the field of every column', () => {
    expect(columns.filter(({ field }) => field === undefined)).toEqual([]);
  });

  it.each(columns.filter(({ field }) => field !== 'no field'))(
    '$table, $column',
    async ({ table, column, field, hasLength }) => {
      if (field === undefined || field === 'no field') return;
      const [known] = await owner.sql<{ type: string }>`
      select case when typcategory = 'A' then 'array' when typcategory = 'N' then 'number' when typcategory = 'B' then 'boolean' else 'text' end as type
      from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = ${table}::regclass and a.attname = ${column}`;
      const rows = `select 1 from ${table} where ${table === 'locations' ? 'id' : 'location_id'} = $1`;
      if ((await admin.sql(rows, [api.locationId])).length === 0)
        await admin.sql(await statementFor(admin.sql, api.locationId, { table, column: '' }), [
          api.locationId,
        ]);
      const wrong: unknown[] = [];
      for (const value of valuesOf[known?.type ?? ''] ?? []) {
        const refused = field.safeParse(value);
        if (refused.success) continue;
        const rest = refused.error.issues.map(({ message }) => message).join('; ');
        // The database bounds the texts of a column whose row in the table of tables says so.
        if (!hasLength && /characters/.test(rest)) continue;
        const error = await thrownBy(
          admin.sql(
            `update ${table} set ${column} = $2 where ${table === 'locations' ? 'id' : 'location_id'} = $1 and ${rowOf[table] ?? true}`,
            [api.locationId, value],
          ),
        );
        const { message, lacksColumn = false } =
          error === undefined ? { message: 'it was accepted' } : refusalOf(error, { readOnly: false });
        const isSame = sameReason.some(([reason, sentence]) => reason.test(rest) && sentence.test(message));
        if (raw.test(message) || !isSame || !(lacksColumn || message.includes(column.replace(/s$/, ''))))
          wrong.push({ value: String(value).slice(0, 40), rest, message });
      }
      expect(wrong).toEqual([]);
    },
  );
});

it('an order that comes by COPY with a number of its own is refused, and so are lines of one that has its number', async () => {
  const [order] = await owner.sql<{ id: string; method: string }>`
    select id, payment_method_id as method from orders where location_id = ${api.locationId} and number = 2`;
  const [product] = await owner.sql<{ id: string }>`
    select id from products where location_id = ${api.locationId} limit 1`;
  await expect(
    admin.copy('copy orders (location_id, payment_method_id, number) from stdin (format csv)', [
      `${api.locationId},${order?.method},9001`,
    ]),
  ).rejects.toThrow(/^an order is made now, and gets its number and turn at the commit/);
  await expect(
    admin.copy('copy order_items (location_id, order_id, product_id, quantity) from stdin (format csv)', [
      `${api.locationId},${order?.id},${product?.id},1`,
    ]),
  ).rejects.toThrow(/^the lines of an order never change/);
});
