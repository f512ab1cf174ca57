import { expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { sqlName } from '../../packages/db/src/tables/sql-name.ts';
import { useApi } from '../support/api.ts';

// A length and the rule of a number are in the table's row, from which documents and sentences are made, and in a CHECK of a migration.

const api = useApi();
const held = tables
  .filter((table) => table.lengthsHeldBy === undefined)
  .flatMap((table) =>
    Object.entries(table.columns).flatMap(([column, { length }]) =>
      length === undefined ? [] : [{ table: sqlName(table), column, length }],
    ),
  );

it.each(held)(
  'the CHECK of $table.$column has the length of its row',
  async ({ table, column, length: [least, most] }) => {
    const rows = await api.sql<{ definition: string }>`
      select pg_get_constraintdef(c.oid) as definition from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.contype = 'c' and c.conrelid = ${table}::regclass and a.attname = ${column}`;
    const [checked] = rows
      .map(({ definition }) => boundsOf(definition))
      .filter((bounds) => bounds !== undefined);
    expect(checked, rows.map(({ definition }) => definition).join('; ')).toEqual([least, most]);
  },
);

const numbers = tables.flatMap((table) =>
  Object.entries(table.columns).flatMap(([column, { number }]) =>
    number === undefined ? [] : [{ name: `${sqlName(table)}.${column}`, table: table.name, column, number }],
  ),
);

it.each(numbers)(
  'the CHECK of $name refuses the numbers that its row does, and none is rounded before',
  async ({ table, column, number: { least, most, decimals } }) => {
    const rows = await api.sql<{ definition: string }>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${`${table}_${column}_check`}`;
    const [known, ...others] = rows.map(({ definition }) =>
      definition.replaceAll(/[()']|::numeric| NOT VALID/g, '').replaceAll(column, 'VALUE'),
    );
    expect(known).toBe(`CHECK VALUE >= ${least} AND VALUE <= ${most} AND VALUE = roundVALUE, ${decimals}`);
    expect(others).toEqual([]);
  },
);

it('every numeric column has the rule of its numbers in its row, and no scale that rounds', async () => {
  const rows = await api.sql<{ name: string; exact: boolean }>`
    select format('%s.%s', a.attrelid::regclass, a.attname) as name, greatest(a.atttypmod, t.typtypmod) < 0 as exact
    from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_class c on c.oid = a.attrelid
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace) and a.attnum > 0
      and not a.attisdropped and 'numeric'::regtype in (t.oid, t.typbasetype)`;
  expect(rows.map(({ name }) => name).sort()).toEqual(numbers.map(({ name }) => name).sort());
  expect(rows.filter(({ exact }) => !exact)).toEqual([]);
});

/** The least and the most characters that a CHECK lets pass; undefined for one about something else. */
function boundsOf(definition: string): [number, number] | undefined {
  if (/is_external_id\(/.test(definition)) return [1, 255];
  if (/is_image_url\(/.test(definition)) return [0, 2_048];
  const most = /char_length\(\(?\w+\)?(?:::text\))?\)? <= (\d+)/.exec(definition)?.[1];
  const least = /char_length\(\(?\w+\)?(?:::text\))?\)? >= (\d+)/.exec(definition)?.[1];
  return most === undefined ? undefined : [Number(least ?? 0), Number(most)];
}
