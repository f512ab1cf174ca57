import { expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { sqlName } from '../../packages/db/src/tables/sql-name.ts';
import { useApi } from '../support/api.ts';

// A length is in the table's row, from which documents and sentences are made, and in a CHECK of a migration.

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

/** The least and the most characters that a CHECK lets pass; undefined for one about something else. */
function boundsOf(definition: string): [number, number] | undefined {
  if (/is_external_id\(/.test(definition)) return [1, 255];
  if (/is_image_url\(/.test(definition)) return [0, 2_048];
  const most = /char_length\(\(?\w+\)?(?:::text\))?\)? <= (\d+)/.exec(definition)?.[1];
  const least = /char_length\(\(?\w+\)?(?:::text\))?\)? >= (\d+)/.exec(definition)?.[1];
  return most === undefined ? undefined : [Number(least ?? 0), Number(most)];
}
