import { type Column, columnOf } from './tables.ts';
import { offset, type Place, valueFor } from './values.ts';

/** A statement and the tables that it names. */
export interface Statement {
  text: string;
  tables: string[];
}

/** A random statement on the table: any kind, any columns. */
export function randomStatement(place: Place): Statement {
  const { chance, table } = place;
  const roll = chance.between(1, 100);
  const text =
    roll <= 45
      ? update(place)
      : roll <= 75
        ? insert(place)
        : roll <= 87
          ? remove(place)
          : roll <= 91
            ? copy(place)
            : roll <= 93
              ? chained(place)
              : roll <= 96
                ? besideParent(place)
                : roll <= 98
                  ? merge(place)
                  : `truncate ${table.name} cascade`;
  const wrapped = chance.percent(5) ? `do $do$ begin ${text}; end $do$` : text;
  return { text: wrapped, tables: [table.name] };
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

/** Rows of the table: one or some, of the location or not. */
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
  const set = some(place, 4).map((column) => `${column.name} = ${valueFor(place, column)}`);
  return `update ${place.table.name} set ${set.join(', ')} where ${rows(place)}`;
}

function remove(place: Place): string {
  return `delete from ${place.table.name} where ${rows(place)}`;
}

/** One row or some, with what the table needs and whatever else. */
export function insert(place: Place, given: Readonly<Record<string, string>> = {}): string {
  const { chance, table } = place;
  const columns = table.columns.filter(
    ({ name, nullable, hasDefault }) => name in given || chance.percent(hasDefault ? 12 : nullable ? 30 : 99),
  );
  if (columns.length === 0) return `insert into ${table.name} default values`;
  // A value that names a column of the row reads one of the excluded row in an INSERT: it has none.
  const row = () =>
    `(${columns.map((column) => given[column.name] ?? withoutRow(valueFor(place, column), column)).join(', ')})`;
  const values = Array.from({ length: chance.percent(85) ? 1 : 3 }, row);
  const conflict = !chance.percent(25)
    ? ''
    : chance.percent(40) || table.key.length === 0
      ? ' on conflict do nothing'
      : ` on conflict (${table.key.join(', ')}) do update set ${some(place, 2)
          .map(({ name }) => `${name} = excluded.${name}`)
          .join(', ')}`;
  return `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')}) values ${values.join(', ')}${conflict}`;
}

const withoutRow = (value: string, { name }: Column): string =>
  value.startsWith(`${name} `) || [`- ${name}`, `not ${name}`].includes(value) ? '1' : value;

/** A row that is there, written once more with other values in some columns. */
function copy(place: Place): string {
  const { table } = place;
  const changed = new Map(some(place, 5).map((column) => [column.name, valueFor(place, column)]));
  if (columnOf(table, 'id') !== undefined && !place.chance.percent(10)) changed.delete('id');
  const columns = table.columns.filter(({ name }) => name !== 'id' || changed.has('id'));
  const values = columns.map(({ name }) => changed.get(name)?.replace(/^default$/, 'null') ?? name);
  return `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')})
    select ${values.join(', ')} from ${table.name} where ${rows(place)}`;
}

/** Two statements in one, which see the same rows. */
function chained(place: Place): string {
  const first = place.chance.percent(50) ? update(place) : remove(place);
  return `with first as (${first} returning 1) ${place.chance.percent(50) ? update(place) : insert(place)}`;
}

function merge(place: Place): string {
  const { chance, table } = place;
  const [column] = some(place, 1);
  const value = column === undefined ? 'null' : valueFor(place, column);
  const then = chance.percent(30)
    ? 'delete'
    : `update set ${column?.name} = ${value === 'default' ? value : `(${value})`}`;
  return `merge into ${table.name} t using (select ctid as place from ${table.name} where ${rows(place)}) s
    on t.ctid = s.place when matched then ${then}`;
}
