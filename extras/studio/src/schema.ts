import { tables } from '@comanda/db';
import { arrows, hiddenColumns, hiddenTables, lateColumns, nameColumns } from './layout.ts';

/** A table or view as Studio's page takes it; the order of its columns is that of the grid. */
export interface StudioTable {
  schema: string;
  name: string;
  columns: StudioColumn[];
}

/** A column as Studio's page takes it. */
export interface StudioColumn {
  name: string;
  datatype: string;
  datatype_schema: string;
  default: string | null;
  nullable: boolean;
  autoinc: boolean;
  /** No editor opens for it. */
  computed: boolean;
  /** No editor opens for it in an existing row; a new row may have a value. */
  fixed: boolean;
  /** It is of no table: the column `of` of the row of `table` that the column `by` names. */
  shows: { by: string; table: string; of: string } | null;
  /** The labels of an enumeration, in its order. */
  options: string[];
  /** Its place in the key, from 1. */
  pk: number | null;
  fk_schema: string | null;
  fk_table: string | null;
  fk_column: string | null;
}

/** A table as `readTables` finds it. */
export interface FoundTable {
  name: string;
  is_view: boolean;
  columns: FoundColumn[];
}

/** A column as `readTables` finds it; `foreign` is `table.column`, at the same place of the foreign key. */
export interface FoundColumn
  extends Omit<StudioColumn, 'computed' | 'fixed' | 'shows' | 'fk_schema' | 'fk_table' | 'fk_column'> {
  generated: boolean;
  foreign: string | null;
  may_insert: boolean;
  may_update: boolean;
}

/** The tables and views of `public`, with the columns that the session may read and what it may do there. */
export const readTables = `
  select c.relname as name, c.relkind = 'v' as is_view, (
    select json_agg(json_build_object(
      'name', a.attname, 'datatype', coalesce(base.typname, t.typname), 'datatype_schema', coalesce(bn.nspname, tn.nspname),
      'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end, 'nullable', not a.attnotnull,
      'autoinc', a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false),
      'generated', a.attgenerated <> '',
      'options', coalesce((select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid), '[]'),
      'pk', (select array_position(k.conkey, a.attnum) from pg_constraint k where k.conrelid = c.oid and k.contype = 'p'),
      'foreign', (
        select f.confrelid::regclass::text || '.' || r.attname from pg_constraint f
        join pg_attribute r on r.attrelid = f.confrelid and r.attnum = f.confkey[array_position(f.conkey, a.attnum)]
        join pg_class target on target.oid = f.confrelid and target.relnamespace = c.relnamespace
        where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey) order by f.oid limit 1),
      'may_insert', has_column_privilege(c.oid, a.attnum, 'INSERT'), 'may_update', has_column_privilege(c.oid, a.attnum, 'UPDATE')
    ) order by a.attnum)
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
    left join pg_type base on base.oid = nullif(t.typbasetype, 0) left join pg_namespace bn on bn.oid = base.typnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(c.oid, a.attnum, 'SELECT')
  ) as columns
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and has_any_column_privilege(c.oid, 'SELECT')
  order by c.relkind desc, c.relname`;

/** Studio's schema: views first, names before ids, and arrows that lead to the right rows. */
export function studioTables(found: readonly FoundTable[], readOnly: boolean): StudioTable[] {
  return found
    .filter(({ name }) => !hiddenTables.includes(name))
    .map((each) => {
      const own = ownColumns(each, readOnly);
      const columns = [...(each.is_view ? [] : names(own, found)), ...own];
      return {
        schema: 'public',
        name: each.name,
        columns: columns.toSorted((a, b) => place(each.name, a) - place(each.name, b)),
      };
    });
}

function ownColumns({ name, is_view, columns }: FoundTable, readOnly: boolean): StudioColumn[] {
  const edited = tables.find((table) => table.name === name)?.columns ?? {};
  return columns
    .filter((column) => !hiddenColumns.includes(`${name}.${column.name}`))
    .map((column) => ({
      ...column,
      // The key of a view is at its end (prisma/sql/views.sql).
      pk: is_view ? ([null, 1, 2][columns.indexOf(column) - columns.length + 3] ?? null) : column.pk,
      computed: is_view || readOnly || isFixed(column),
      fixed: edited[column.name]?.edited !== true,
      shows: null,
      ...arrowOf(name, column),
    }));
}

/** The restaurant of a row, and the name of each row that it names by an id. */
function names(columns: readonly StudioColumn[], found: readonly FoundTable[]): StudioColumn[] {
  const taken = new Set(columns.map(({ name }) => name));
  return columns
    .toSorted((a, b) => Number(b.name === 'location_id') - Number(a.name === 'location_id'))
    .flatMap(({ name: by, fk_table }) => {
      const of = nameColumns[fk_table ?? ''];
      const named = found.find(({ name }) => name === fk_table)?.columns.find(({ name }) => name === of);
      if (of === undefined || named === undefined || fk_table === null) return [];
      const short = by.replace(/_id$/, '');
      const name = by === 'location_id' ? 'restaurant' : taken.has(short) ? `${short}_name` : short;
      const { datatype, datatype_schema, options } = named;
      return {
        name,
        datatype,
        datatype_schema,
        options,
        default: null,
        nullable: true,
        autoinc: false,
        pk: null,
        computed: true,
        fixed: true,
        shows: { by, table: fk_table, of },
        fk_schema: null,
        fk_table: null,
        fk_column: null,
      };
    });
}

/** Not for this session to write: a default or a trigger fills it. */
function isFixed({ generated, may_insert, may_update, default: filled, nullable }: FoundColumn): boolean {
  return generated || (!may_update && (!may_insert || filled !== null || nullable));
}

function arrowOf(
  table: string,
  { name, foreign }: FoundColumn,
): Pick<StudioColumn, 'fk_schema' | 'fk_table' | 'fk_column'> {
  // A key of two columns leads by its second: the first is the restaurant in every table.
  const target = name === 'location_id' ? 'locations.id' : (arrows[`${table}.${name}`] ?? foreign);
  const [fk_table = null, fk_column = null] = target?.split('.') ?? [];
  return { fk_schema: fk_table === null ? null : 'public', fk_table, fk_column };
}

/** Restaurant first; names before what they are a part of, else behind what the row has of its own; ids; what is long. */
function place(table: string, { name, datatype, shows }: StudioColumn): number {
  if (shows?.by === 'location_id') return 0;
  if (shows !== null) return table in nameColumns && !isPart(table) ? 3 : 1;
  if (lateColumns.includes(`${table}.${name}`)) return 5;
  return datatype === 'uuid' ? 4 : 2;
}

/** Whether rows of the table are known by the rows that they belong to. */
export const isPart = (name: string): boolean =>
  tables.find((table) => table.name === name)?.belongs?.partOf !== undefined;
