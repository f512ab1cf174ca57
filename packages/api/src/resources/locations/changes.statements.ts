import { type LocationTable, type Statement, sqlName, statement, tableNamed } from '@comanda/db';
import { nameOf, ofLocation } from './whole.statements.ts';

// The rows that a copy of a location lacks. Each statement of a table is made from its row
// (packages/db/src/tables).

/** A foreign key between tables of a location, without `location_id`. */
export interface Reference {
  child: string;
  column: string;
  parent: string;
}

/** The foreign keys with which rows of a location name others. */
export const listReferences = statement<Reference>(
  'copy_references',
  `select ${named('c')} as child, a.attname as "column", ${named('p')} as parent
   from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_namespace cn on cn.oid = c.relnamespace
     join pg_class p on p.oid = f.confrelid join pg_namespace pn on pn.oid = p.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum = any (f.conkey) and a.attname <> 'location_id'
   where f.contype = 'f' and f.confrelid <> 'public.locations'::regclass
     and exists (select from pg_attribute l where l.attrelid = c.oid and l.attname = 'location_id' and l.attnum = any (f.conkey))
   order by 1, 2`,
);

function named(alias: string): string {
  return `case ${alias}n.nspname when 'public' then '' else ${alias}n.nspname || '.' end || ${alias}.relname`;
}

/**
 * $1 a transaction number, and $2 the epoch of the database in which it was the oldest under way. The age in
 * transaction numbers, with which the age of a row is compared; null where it says nothing.
 */
export const ageOf = statement<{ age: number | null }>(
  'copy_age',
  `select case when database_epoch() = $2 and pg_snapshot_xmax(pg_current_snapshot())::text::bigint - $1::text::bigint < 1000000000
     then age($1::text::xid8::xid) end as age`,
);

/** The columns that identify a row, as one text: the same in every database where dates are written alike. */
const keyOf = ({ key }: LocationTable): string =>
  `concat_ws(' ', ${key.map((column) => `t."${column}"::text`).join(', ')})`;

/**
 * $1 location, $2 an age, then for each reference the ids of the rows that are replaced there. The rows that a transaction of that
 * age or a younger one wrote, and those that name a replaced one.
 */
export const declareChanges = (each: LocationTable, references: readonly Reference[]): Statement<never> =>
  statement(
    `declare_changed_${nameOf(each)}`,
    `declare exported no scroll cursor for select row_to_json(t)::text as line, ${keyOf(each)} as key from ${each.table} t
     where ${ofLocation(each)} and (age(t.xmin) <= $2::int${references
       .map(({ column }, at) => ` or t."${column}" = any ($${at + 3}::uuid[])`)
       .join('')})`,
  );

/** $1 location, $2 keys. These rows. */
export const readRows = (each: LocationTable): Statement<{ line: string; key: string }> =>
  statement(
    `copy_rows_${nameOf(each)}`,
    `select row_to_json(t)::text as line, ${keyOf(each)} as key from ${each.table} t
     where ${ofLocation(each)} and ${keyOf(each)} = any ($2::text[])`,
  );

// Entries that the other database made of the copy are its own.
const compared = (each: LocationTable): string =>
  isAudit(each)
    ? `${ofLocation(each)} and t.operation <> 'locations.import' and t.created_at < $2::timestamptz`
    : `${ofLocation(each)} and $2::timestamptz is not null`;

const isAudit = ({ table }: LocationTable): boolean => table === sqlName(tableNamed('audit_entries'));

/** $1 location, $2 when its copy was exported, $3 keys. A print of the keys of all rows but these. */
export const printKeys = (each: LocationTable): Statement<{ print: string }> =>
  statement(
    `copy_print_${nameOf(each)}`,
    `select count(*) || ' ' || coalesce(bit_xor(hashtextextended(k.key, 0)), 0) as print
     from (select ${keyOf(each)} as key from ${each.table} t where ${compared(each)} offset 0) k where k.key <> all ($3::text[])`,
  );

/** $1 location, $2 when its copy was exported, $3 keys. The keys of all rows but these. */
export const listKeys = (each: LocationTable): Statement<{ key: string }> =>
  statement(
    `copy_keys_${nameOf(each)}`,
    `select k.key from (select ${keyOf(each)} as key from ${each.table} t where ${compared(each)} offset 0) k
     where k.key <> all ($3::text[])`,
  );

/** $1 location, $2 when its copy was exported. All rows, except the audit's entries about the copy. */
export const clearCopied = (each: LocationTable): Statement<never> =>
  statement(
    `copy_clear_${nameOf(each)}`,
    `delete from ${each.table} t where ${ofLocation(each)} and ${
      isAudit(each)
        ? `not (t.operation = 'locations.import' and ${copyOf('t')} = $2)`
        : '$2::text is not null'
    }`,
  );

/** $1 location, $2 keys. */
export const deleteKeys = (each: LocationTable): Statement<never> =>
  statement(
    `copy_delete_${nameOf(each)}`,
    `delete from ${each.table} t where ${ofLocation(each)} and ${keyOf(each)} = any ($2::text[])`,
  );

/** $1 location, $2 rows. The existing ones, by the columns that identify them. */
export const deleteRows = (each: LocationTable): Statement<never> =>
  statement(
    `copy_replace_${nameOf(each)}`,
    `delete from ${each.table} t using unnest($2::text[]) l (line), json_populate_record(null::${each.table}, l.line::json) r
     where ${ofLocation(each)} and ${sameRow(each)}`,
  );

/** $1 location, $2 rows. Those that are there become as they are given. */
export const updateRows = (each: LocationTable): Statement<never> => {
  const columns = each.columns.filter((column) => column !== 'location_id' && !each.key.includes(column));
  const names = (alias: string) => columns.map((column) => `${alias}"${column}"`).join(', ');
  return statement(
    `copy_update_${nameOf(each)}`,
    `update ${each.table} t set (${names('')}) = row(${names('r.')})
     from unnest($2::text[]) l (line), json_populate_record(null::${each.table}, l.line::json) r
     where ${ofLocation(each)} and ${sameRow(each)}`,
  );
};

/** $1 location, $2 rows. Those that are not there. */
export const insertMissing = (each: LocationTable): Statement<never> =>
  statement(
    `copy_insert_${nameOf(each)}`,
    `insert into ${each.table} select r.* from unnest($2::text[]) l (line)
     cross join lateral json_populate_record(null::${each.table}, l.line::json) r
     where not exists (select from ${each.table} t where ${ofLocation(each)} and ${sameRow(each)})`,
  );

const sameRow = ({ key }: LocationTable): string =>
  key.map((column) => `t."${column}" = r."${column}"`).join(' and ');

const moved = ['name', 'timezone', 'currency', 'paused', 'paused_until', 'pause_reason', 'opening_hours'];
const movedOf = (row: string): string => moved.map((column) => `${row}.${column}`).join(', ');

/** $1 the location's own row. Its status is the move's. */
export const updateLocation = statement<never>(
  'copy_update_location',
  `update locations l set (${moved.join(', ')}) = (${movedOf('r')})
   from jsonb_populate_record(null::locations, $1::jsonb) r
   where l.id = r.id and (${movedOf('l')}) is distinct from (${movedOf('r')})`,
);

/** Of which copy an entry of the audit speaks, by its first export. */
function copyOf(entry: string): string {
  return `coalesce(${entry}.changes->'after'->>'copy', ${entry}.changes->'after'->>'exported_at')`;
}

/**
 * The state of a copy: all that was committed before the oldest transaction that was under way, in that history of
 * its database.
 */
export interface Copied {
  snapshot: string;
  epoch: string;
}

/** $1 location, $2 when its copy was exported first. The newest of what came. */
export const findCopied = statement<Copied>(
  'copy_find',
  `select (array_agg(i.snapshot order by i.created_at desc, i.id desc))[1] as snapshot,
     (array_agg(i.epoch order by i.created_at desc, i.id desc))[1] as epoch
   from (select a.id, a.created_at, a.changes->'after'->>'snapshot' as snapshot, a.changes->'after'->>'epoch' as epoch
     from audit_entries a where a.location_id = $1::uuid and a.operation = 'locations.import'
       and ${copyOf('a')} = $2) i
   having count(*) > 0`,
);

/** $1 location, $2 the cell. While the row is there the copy can be neither enabled nor deleted. */
export const insertArrival = statement<never>(
  'copy_insert_arrival',
  `insert into internal.location_moves (id, cell, folder, step) values ($1::uuid, $2, '', 'arriving')`,
);
