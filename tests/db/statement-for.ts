import type { Hand } from '../support/by-hand.ts';

/** A statement with $1 = the location: it sets a column of one row to another value, or inserts a row where no column is given. */
export async function statementFor(
  admin: Hand,
  locationId: string,
  { table, column }: { table: string; column: string },
): Promise<string> {
  const toWrite = (each: Column) => newValue(admin, locationId, each, column === '');
  const found = await admin.sql<Column>(columnsOf, [table]);
  if (column === '') {
    const needed = found.filter(({ required }) => required);
    const values = await Promise.all(needed.map(toWrite));
    return `insert into ${table} (${['location_id', ...needed.map(({ name }) => name)]}) values (${['$1', ...values]})`;
  }
  const one = found.find(({ name }) => name === column);
  if (one === undefined) throw new Error(`${table} has no column ${column}`);
  const row = `select ctid from ${table} where location_id = $1 limit 1`;
  return `update ${table} set ${column} = ${await toWrite(one)} where location_id = $1 and ctid = (${row})`;
}

interface Column {
  name: string;
  type: string;
  required: boolean;
  /** The table of the row that the column names. */
  refers: string | null;
}

const columnsOf = `select a.attname as name, a.atttypid::regtype::text as type,
    a.attnotnull and not a.atthasdef and a.attname <> 'location_id' as required,
    (select c.confrelid::regclass::text from pg_constraint c
      where c.conrelid = a.attrelid and c.contype = 'f' and a.attnum = any (c.conkey) and a.attname <> 'location_id' limit 1) as refers
  from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`;

/** A value for a new row, or another one for a row that is there. */
async function newValue(
  admin: Hand,
  locationId: string,
  { name, type, refers }: Column,
  isNew: boolean,
): Promise<string> {
  if (refers !== null) {
    await admin.sql(await statementFor(admin, locationId, { table: refers, column: '' }), [locationId]);
    return `(select id from ${refers} where location_id = $1 order by id desc limit 1)`;
  }
  const values: Readonly<Record<string, string>> = isNew
    ? { text: `'made'`, boolean: 'false', integer: '1', numeric: '1', 'timestamp with time zone': 'now()' }
    : {
        ...{ text: `concat(${name}, 'x')`, boolean: `not coalesce(${name}, false)` },
        ...{ integer: `coalesce(${name}, 0) + 1`, numeric: `coalesce(${name}, 0) + 1` },
        'timestamp with time zone': 'now()',
      };
  const value = values[type];
  if (value === undefined)
    throw new Error(`name an edit of ${name}, of the type ${type}, in edits-published.test.ts`);
  return value;
}
