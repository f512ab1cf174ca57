import type { Catalog, ForeignKey } from '../../packages/db/src/made/catalog.ts';
import type { Table } from '../../packages/db/src/tables/table.ts';

/** A statement; `copies` gives the lines of CSV that a COPY reads. */
export interface Step {
  text: string;
  copies?: string;
}

/** An edit of a table during the deletion of one of its parents. */
export interface Edit {
  name: string;
  /** For so many rows of a location at most. */
  statements(count: number, location: string): Step[];
}

/** Every form of every edit of a table, during the deletion of each parent that removes its rows. */
export function editsOf(table: Table, catalog: Catalog): Edit[] {
  const parents = catalog.foreignKeys.filter((key) => key.table === table.name && key.cascades);
  const forms = formsOf(table, catalog);
  return (parents.length === 0 ? [undefined] : parents).flatMap((parent) =>
    forms.map(({ name, wrap, before = () => [] }) => ({
      name: `${name}${parent === undefined ? '' : ` beside the deletion of one of ${parent.parent}`}`,
      statements: (count, location) => {
        const kept = [spared(table, parent, location), ...unnamed(table, catalog)].join(' and ');
        const target = `${table.name} where ctid = any (array(select ctid from ${table.name} where ${kept} order by ctid limit ${count}))`;
        return [
          ...before(target),
          ...wrap(target, parent === undefined ? undefined : gone(parent, location)),
        ];
      },
    })),
  );
}

/** The parent that goes: another location, or one row that has one of the table's. */
const gone = ({ table, parent, columns, parentColumns }: ForeignKey, location: string): string =>
  parent === 'locations'
    ? `delete from locations where name = 'Empty'`
    : `delete from ${parent} p where ctid = (select p.ctid from ${parent} p join ${table} t on ${columns
        .map((column, index) => `t.${column} = p.${parentColumns[index]}`)
        .join(' and ')} where p.location_id = '${location}' order by p.ctid limit 1)`;

/** The rows that no other row references. */
const unnamed = ({ name }: Table, { foreignKeys }: Catalog): string[] =>
  foreignKeys
    .filter((key) => key.parent === name && !key.cascades)
    .map(
      ({ table, columns, parentColumns }) =>
        `not exists (select from ${table} c where ${columns.map((column, index) => `c.${column} = ${name}.${parentColumns[index]}`).join(' and ')})`,
    );

/** The rows that do not go with that parent. */
function spared({ name }: Table, parent: ForeignKey | undefined, location: string): string {
  if (name === 'locations') return `id = '${location}'`;
  const here = `location_id = '${location}'`;
  if (parent === undefined || parent.parent === 'locations') return here;
  const own = parent.columns.map((column, index) => `${name}.${column} = f.${parent.parentColumns[index]}`);
  return `${here} and not exists (select from (select p.* from ${parent.parent} p join ${name} t on ${parent.columns
    .map((column, index) => `t.${column} = p.${parent.parentColumns[index]}`)
    .join(
      ' and ',
    )} where p.location_id = '${location}' order by p.ctid limit 1) f where ${own.join(' and ')})`;
}

interface Form {
  name: string;
  before?(target: string): Step[];
  wrap(target: string, gone: string | undefined): Step[];
}

/** How an edit follows the deletion of its parent, when there is one. */
type Way = (gone: string | undefined, text: string) => Step[];

const inStatement: Way = (gone, text) => [
  { text: gone === undefined ? text : `with gone as (${gone} returning 1) ${text}` },
];
const inTransaction: Way = (gone, text) => [...(gone === undefined ? [] : [{ text: gone }]), { text }];
const inDo: Way = (gone, text) =>
  inStatement(gone, text).map((step) => ({ text: `do $do$ begin ${step.text}; end $do$` }));
const inFunction: Way = (gone, text) => [
  {
    text: `create or replace function pg_temp.edit() returns void language plpgsql as $f$ begin ${gone === undefined ? '' : `${gone};`} ${text}; end $f$`,
  },
  { text: 'select pg_temp.edit()' },
];

const form = (name: string, way: Way, text: (target: string) => string, before?: Form['before']): Form => ({
  name,
  ...(before && { before }),
  wrap: (target, gone) => way(gone, text(target)),
});

function formsOf(table: Table, { columns, keys }: Catalog): Form[] {
  const { name } = table;
  const known = columns.filter((column) => column.table === name);
  const key = keys[name] ?? [];
  const set = known
    .filter(
      (column) =>
        !key.includes(column.name) &&
        column.name !== 'updated_at' &&
        table.columns[column.name]?.secret !== true,
    )
    .map((column) => ({ column: column.name, value: changed(column.name, column.type) }))
    .find(({ value }) => value !== undefined);
  const assigned = set === undefined ? undefined : `${set.column} = ${set.value}`;
  const all = known.map((column) => column.name).join(', ');
  const onKey = key.map((column) => `t.${column} = k.${column}`).join(' and ');
  const kept = (target: string): Step[] => [
    { text: 'drop table if exists kept' },
    { text: `create temporary table kept as select * from ${target}` },
  ];
  const removed = (target: string): Step[] => [
    ...kept(target),
    { text: `delete from ${name} t using kept k where ${onKey}` },
  ];
  const update = (target: string) => `update ${name} set ${assigned} ${whereOf(target)}`;
  const deletion = (target: string) => `delete from ${target}`;
  const insert = () => `insert into ${name} (${all}) select ${all} from kept`;
  const merge = (action: string) => () =>
    `merge into ${name} t using kept k on ${onKey} when matched then ${action}`;
  /** The value that is set, of the row by that name. */
  const assignedOf = (row: string) =>
    (set?.value ?? '').replaceAll(set?.column ?? '', `${row}.${set?.column}`);
  const conflict = () =>
    `${insert()} on conflict (${key.join(', ')}) do update set ${set?.column} = ${assignedOf('excluded')}`;
  const updates =
    assigned === undefined
      ? []
      : [
          form('an update in one statement', inStatement, update),
          form('an update in one transaction', inTransaction, update),
          form('a MERGE', inTransaction, merge(`update set ${set?.column} = ${assignedOf('t')}`), kept),
          form('an ON CONFLICT DO UPDATE', inStatement, conflict, kept),
          form('an update in a DO block', inDo, update),
          form('an update in a function', inFunction, update),
        ];
  if (name === 'locations') return updates;
  return [
    ...updates,
    form('a deletion in one statement', inStatement, deletion),
    form('a deletion in one transaction', inTransaction, deletion),
    form('a deletion in a DO block', inDo, deletion),
    form('a MERGE that deletes', inTransaction, merge('delete'), kept),
    form('an insert in one statement', inStatement, insert, removed),
    form('an insert in a function', inFunction, insert, removed),
    {
      name: 'a COPY',
      before: removed,
      wrap: (_, gone) => [
        ...(gone === undefined ? [] : [{ text: gone }]),
        {
          text: `copy ${name} (${all}) from stdin (format csv)`,
          copies: `select replace(substr(k::text, 2, length(k::text) - 2), '\\\\', '\\') as line from (select ${all} from kept) k`,
        },
      ],
    },
  ];
}

const whereOf = (target: string): string => target.slice(target.indexOf(' where ') + 1);

/** Another value of a column, where any will do. */
function changed(column: string, type: string): string | undefined {
  if (/_id$|^status$|^type$|^version$|^sandbox$|_at$|^code$|_by$|^key_/.test(column)) return undefined;
  if (type === 'boolean') return `not ${column}`;
  if (type === 'text' && !['timezone', 'currency', 'url', 'api_version', 'image_url'].includes(column))
    return `coalesce(${column}, '') || 'x'`;
  if (type === 'numeric') return `${column} + 1`;
  return undefined;
}
