import { copied, inside, type Statement } from './forms.ts';
import { type Column, columnOf } from './tables.ts';
import { offset, type Place, valueFor } from './values.ts';

/** A random statement on the table: any kind, any columns, as it is or in a function or a DO block. */
export function randomStatement(place: Place): Statement {
  const { chance, table } = place;
  const roll = chance.between(1, 100);
  if (roll <= 6) return copyFrom(place);
  const one = () => edit(place, chance.between(1, 100));
  if (roll > 16) return { text: one(), tables: [table.name] };
  return inside(place, { edit: one, condition: () => rows(place), assignments: () => assignments(place) });
}

/** The text of one. */
function edit(place: Place, roll: number): string {
  if (roll <= 45) return update(place);
  if (roll <= 75) return insert(place);
  if (roll <= 87) return remove(place);
  if (roll <= 91) return again(place);
  if (roll <= 93) return chained(place);
  if (roll <= 96) return besideParent(place);
  return roll <= 98 ? merge(place) : `truncate ${place.table.name} cascade`;
}

/** An edit in one statement with the deletion of a row that a foreign key leads to, with which rows of the table may go. */
function besideParent(place: Place): string {
  const { chance, table, location } = place;
  const parents = table.columns.flatMap(({ references }) =>
    references === undefined ? [] : [references.table],
  );
  const parent = chance.pick(parents.length === 0 ? [table.name] : parents);
  const where =
    parent === 'locations'
      ? `id <> ${location}`
      : parent.includes('.')
        ? 'true'
        : `location_id = ${location}`;
  const edit = chance.pick([update, update, remove, insert])(place);
  return `with gone as (delete from ${parent} where ctid = any (array(select ctid from ${parent} where ${where}
    order by ctid offset ${offset(chance, parent)} limit 1)) returning 1) ${edit}`;
}

/** A condition for rows of the table: one or some, of the location or not. */
function rows({ chance, table, location }: Place): string {
  const located = columnOf(table, 'location_id') !== undefined && chance.percent(80);
  const where = located ? ` where location_id = ${location}` : '';
  const count = chance.percent(70) ? 1 : chance.pick([2, 3, 1_000]);
  const order = table.key.length > 0 ? table.key.join(', ') : 'ctid';
  return `ctid = any (array(select ctid from ${table.name}${where} order by ${order} offset ${offset(chance, table.name)} limit ${count}))`;
}

function some({ chance, table }: Place, most: number): Column[] {
  const count = chance.percent(65) ? 1 : chance.between(2, most);
  return [...new Set(Array.from({ length: count }, () => chance.pick(table.columns)))];
}

function update(place: Place): string {
  return `update ${place.table.name} set ${assignments(place)} where ${rows(place)}`;
}

/** The assignments of an UPDATE. */
const assignments = (place: Place): string =>
  some(place, 4)
    .map((column) => `${column.name} = ${valueFor(place, column)}`)
    .join(', ');

function remove(place: Place): string {
  return `delete from ${place.table.name} where ${rows(place)}`;
}

/** Values for columns of new rows, as SQL. */
interface Rows {
  columns: string[];
  values: string[][];
}

/** One or more rows, with the columns that the table requires and any others. */
function newRows(place: Place, given: Readonly<Record<string, string>>): Rows {
  const { chance, table } = place;
  const columns = table.columns.filter(
    ({ name, nullable, hasDefault }) => name in given || chance.percent(hasDefault ? 12 : nullable ? 30 : 99),
  );
  // A value that names a column of the row reads one of the excluded row in an INSERT: it has none.
  const row = () =>
    columns.map((column) => given[column.name] ?? withoutRow(valueFor(place, column), column));
  return {
    columns: columns.map(({ name }) => name),
    values: Array.from({ length: chance.percent(85) ? 1 : 3 }, row),
  };
}

/** An INSERT of new rows, or of what conflicts with rows that are there. */
export function insert(place: Place, given: Readonly<Record<string, string>> = {}): string {
  const { chance, table } = place;
  const { columns, values } = newRows(place, given);
  if (columns.length === 0) return `insert into ${table.name} default values`;
  const conflict = !chance.percent(25)
    ? ''
    : chance.percent(40) || table.key.length === 0
      ? ' on conflict do nothing'
      : ` on conflict (${table.key.join(', ')}) do update set ${some(place, 2)
          .map(({ name }) => `${name} = excluded.${name}`)
          .join(', ')}`;
  return `insert into ${table.name} (${columns.join(', ')}) values ${values.map((row) => `(${row.join(', ')})`).join(', ')}${conflict}`;
}

/** A COPY of new rows, or of rows that are there with other values in some columns. */
export function copyFrom(place: Place, given?: Readonly<Record<string, string>>): Statement {
  if (given === undefined && place.chance.percent(50)) {
    const { columns, values } = likeThose(place);
    return copied(place.table, columns, [`${rowOf(values)} from ${place.table.name} where ${rows(place)}`]);
  }
  const { columns, values } = newRows(place, given ?? {});
  // No COPY has an empty list of columns.
  if (columns.length === 0)
    return { text: `insert into ${place.table.name} default values`, tables: [place.table.name] };
  return copied(place.table, columns, values.map(rowOf));
}

const rowOf = (values: readonly string[]): string =>
  `row(${values.map((value) => value.replace(/^default$/, 'null')).join(', ')})::text`;

const withoutRow = (value: string, { name }: Column): string =>
  value.startsWith(`${name} `) || [`- ${name}`, `not ${name}`].includes(value) ? '1' : value;

/** A row that is there, written once more with other values in some columns. */
function again(place: Place): string {
  const { columns, values } = likeThose(place);
  return `insert into ${place.table.name} (${columns.join(', ')})
    select ${values.join(', ')} from ${place.table.name} where ${rows(place)}`;
}

/** The columns of rows that are there, and other values for some. */
function likeThose(place: Place): { columns: string[]; values: string[] } {
  const { table } = place;
  const changed = new Map(some(place, 5).map((column) => [column.name, valueFor(place, column)]));
  if (columnOf(table, 'id') !== undefined && !place.chance.percent(10)) changed.delete('id');
  const columns = table.columns.map(({ name }) => name).filter((name) => name !== 'id' || changed.has('id'));
  return { columns, values: columns.map((name) => changed.get(name)?.replace(/^default$/, 'null') ?? name) };
}

/** Two statements in one, which see the same rows. */
function chained(place: Place): string {
  const first = place.chance.percent(50) ? update(place) : remove(place);
  return `with first as (${first} returning 1) ${place.chance.percent(50) ? update(place) : insert(place)}`;
}

function merge(place: Place): string {
  const { chance, table } = place;
  if (chance.percent(30)) {
    const { columns, values } = newRows(place, {});
    if (columns.length > 0)
      return `merge into ${table.name} t using (select 1) s on false
        when not matched then insert (${columns.join(', ')}) values (${values[0]?.join(', ')})`;
  }
  const [column] = some(place, 1);
  const value = column === undefined ? 'null' : valueFor(place, column);
  const then = chance.percent(30)
    ? 'delete'
    : `update set ${column?.name} = ${value === 'default' ? value : `(${value})`}`;
  return `merge into ${table.name} t using (select ctid as place from ${table.name} where ${rows(place)}) s
    on t.ctid = s.place when matched then ${then}`;
}
