import type { Sql } from '../support/sql.ts';

/** A statement with $1 = the location: it sets a column of one row to another value, or inserts a row where no column is given. */
export async function statementFor(
  sql: Sql,
  locationId: string,
  { table, column }: { table: string; column: string },
): Promise<string> {
  if (column === '') {
    const needed = (await sql<Column>(columnsOf, [table])).filter(({ required }) => required);
    const values = await Promise.all(needed.map((each) => newValue(sql, locationId, each, true)));
    return `insert into ${table} (${['location_id', ...needed.map(({ name }) => name)]}) values (${['$1', ...values]})`;
  }
  const row = `select ctid from ${table} where location_id = $1 limit 1`;
  const value = await otherValue(sql, locationId, { table, column });
  return `update ${table} set ${column} = ${value} where location_id = $1 and ctid = (${row})`;
}

/** Another value of a column, as SQL over its row with $1 = the location. Where the column names a row, that row is made. */
export async function otherValue(
  sql: Sql,
  locationId: string,
  { table, column }: { table: string; column: string },
): Promise<string> {
  const one = (await sql<Column>(columnsOf, [table])).find(({ name }) => name === column);
  if (one === undefined) throw new Error(`${table} has no column ${column}`);
  return newValue(sql, locationId, one, false);
}

interface Column {
  name: string;
  type: string;
  required: boolean;
  /** The table of the row that the column names. */
  refers: string | null;
}

const columnsOf = `select a.attname as name,
    (select coalesce(nullif(typbasetype, 0), oid)::regtype::text from pg_type where oid = a.atttypid) as type,
    a.attnotnull and not a.atthasdef and a.attname <> 'location_id' as required,
    (select c.confrelid::regclass::text from pg_constraint c
      where c.conrelid = a.attrelid and c.contype = 'f' and a.attnum = any (c.conkey) and a.attname <> 'location_id' limit 1) as refers
  from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`;

const numbers = ['smallint', 'integer', 'numeric'];

/** A value for a new row, or another one for a row that is there. */
async function newValue(
  sql: Sql,
  locationId: string,
  { name, type, refers }: Column,
  isNew: boolean,
): Promise<string> {
  if (refers !== null) {
    await sql(await statementFor(sql, locationId, { table: refers, column: '' }), [locationId]);
    return `(select id from ${refers} where location_id = $1 order by id desc limit 1)`;
  }
  const values: Readonly<Record<string, string>> = isNew
    ? { text: `'made'`, boolean: 'false', integer: '1', numeric: '1', 'timestamp with time zone': 'now()' }
    : {
        text: `concat(${name}, 'x')`,
        boolean: `not coalesce(${name}, false)`,
        ...Object.fromEntries(numbers.map((each) => [each, `coalesce(${name}, 0) + 1`])),
        'timestamp with time zone': 'now()',
      };
  const value = values[type];
  if (value === undefined)
    throw new Error(
      `give a value of the type ${type}, of ${name}, in tests/db/statement-for.ts, or the test an edit of it`,
    );
  return value;
}
