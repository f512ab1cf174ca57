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
  const with_ = (deletion: string | undefined, text: string) =>
    deletion === undefined ? text : `with gone as (${deletion} returning 1) ${text}`;
  const first = (deletion: string | undefined) => (deletion === undefined ? [] : [{ text: deletion }]);
  const kept = (target: string): Step[] => [
    { text: 'drop table if exists kept' },
    { text: `create temporary table kept as select * from ${target}` },
  ];
  const removed = (target: string): Step[] => [
    ...kept(target),
    {
      text: `delete from ${name} t using kept k where ${key.map((column) => `t.${column} = k.${column}`).join(' and ')}`,
    },
  ];
  const inDo = (text: string): Step => ({ text: `do $do$ begin ${text}; end $do$` });
  const inFunction = (text: string): Step[] => [
    {
      text: `create or replace function pg_temp.edit() returns void language plpgsql as $f$ begin ${text}; end $f$`,
    },
    { text: 'select pg_temp.edit()' },
  ];
  const onKey = key.map((column) => `t.${column} = k.${column}`).join(' and ');
  const updates: Form[] =
    assigned === undefined
      ? []
      : [
          {
            name: 'an update in one statement',
            wrap: (target, gone) => [
              { text: with_(gone, `update ${name} set ${assigned} ${whereOf(target)}`) },
            ],
          },
          {
            name: 'an update in one transaction',
            wrap: (target, gone) => [
              ...first(gone),
              { text: `update ${name} set ${assigned} ${whereOf(target)}` },
            ],
          },
          {
            name: 'a MERGE',
            before: kept,
            wrap: (_, gone) => [
              ...first(gone),
              {
                text: `merge into ${name} t using kept k on ${onKey} when matched then update set ${set?.column} = ${(set?.value ?? '').replaceAll(set?.column ?? '', `t.${set?.column}`)}`,
              },
            ],
          },
          {
            name: 'an ON CONFLICT DO UPDATE',
            before: kept,
            wrap: (_, gone) => [
              {
                text: with_(
                  gone,
                  `insert into ${name} (${all}) select ${all} from kept on conflict (${key.join(', ')}) do update set ${set?.column} = ${(set?.value ?? '').replaceAll(set?.column ?? '', `excluded.${set?.column}`)}`,
                ),
              },
            ],
          },
          {
            name: 'an update in a DO block',
            wrap: (target, gone) => [inDo(with_(gone, `update ${name} set ${assigned} ${whereOf(target)}`))],
          },
          {
            name: 'an update in a function',
            wrap: (target, gone) =>
              inFunction(
                `${gone === undefined ? '' : `${gone};`} update ${name} set ${assigned} ${whereOf(target)}`,
              ),
          },
        ];
  if (name === 'locations') return updates;
  return [
    ...updates,
    {
      name: 'a deletion in one statement',
      wrap: (target, gone) => [{ text: with_(gone, `delete from ${target}`) }],
    },
    {
      name: 'a deletion in one transaction',
      wrap: (target, gone) => [...first(gone), { text: `delete from ${target}` }],
    },
    {
      name: 'a deletion in a DO block',
      wrap: (target, gone) => [inDo(with_(gone, `delete from ${target}`))],
    },
    {
      name: 'a MERGE that deletes',
      before: kept,
      wrap: (_, gone) => [
        ...first(gone),
        { text: `merge into ${name} t using kept k on ${onKey} when matched then delete` },
      ],
    },
    {
      name: 'an insert in one statement',
      before: removed,
      wrap: (_, gone) => [{ text: with_(gone, `insert into ${name} (${all}) select ${all} from kept`) }],
    },
    {
      name: 'an insert in a function',
      before: removed,
      wrap: (_, gone) =>
        inFunction(
          `${gone === undefined ? '' : `${gone};`} insert into ${name} (${all}) select ${all} from kept`,
        ),
    },
    {
      name: 'a COPY',
      before: removed,
      wrap: (_, gone) => [
        ...first(gone),
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
