import type { Hand } from '../../support/by-hand.ts';

/** A table that a person may meet, as the catalog of the database has it. */
export interface Table {
  /** As SQL names it: with its schema, where that is not the first one that is searched. */
  name: string;
  columns: Column[];
  /** Columns of the primary key. */
  key: string[];
}

/** A column of one. */
export interface Column {
  name: string;
  /** As pg_type names it: `uuid`, `numeric`, `_text` for an array of text; `enum` for any of the schema. */
  type: string;
  labels: string[];
  nullable: boolean;
  hasDefault: boolean;
  /** Where a foreign key leads; that of `location_id` alone, or of a pair that carries it. */
  references?: { table: string; column: string };
}

/** Tables that the service does not guard: the book of Prisma's migrations, and those of the queue. */
const foreign = ['_prisma_migrations'];

/** Reads them all, so that a new table or column is met by itself. */
export function readTables({ sql }: Pick<Hand, 'sql'>): Promise<Table[]> {
  return sql<Table>(
    `select r.name, r.key, json_agg(json_strip_nulls(json_build_object('name', quote_ident(a.attname),
        'type', case t.typtype when 'e' then 'enum' else t.typname end,
        'labels', array(select e.enumlabel from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder),
        'nullable', not a.attnotnull, 'hasDefault', a.atthasdef,
        'references', (select json_build_object('table', f.confrelid::regclass::text, 'column', quote_ident(to_a.attname))
          from pg_constraint f
          join lateral unnest(f.conkey, f.confkey) as k (own, other) on k.own = a.attnum
          join pg_attribute to_a on to_a.attrelid = f.confrelid and to_a.attnum = k.other
          where f.contype = 'f' and f.conrelid = r.oid and (cardinality(f.conkey) = 1 or a.attname <> 'location_id')
          order by f.conname limit 1))) order by a.attnum) as columns
     from (
       select c.oid, c.oid::regclass::text as name, array(
         select quote_ident(ka.attname) from pg_index i join pg_attribute ka on ka.attrelid = c.oid and ka.attnum = any (i.indkey)
         where i.indrelid = c.oid and i.indisprimary order by ka.attnum) as key
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema|graphile_worker)' and c.relname <> all ($1)
     ) r
     join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
     join pg_type d on d.oid = a.atttypid join pg_type t on t.oid = coalesce(nullif(d.typbasetype, 0), d.oid)
     group by r.name, r.key order by r.name`,
    [foreign],
  );
}

/** The column, or undefined when the table has none of that name. */
export const columnOf = (table: Table, name: string): Column | undefined =>
  table.columns.find((column) => column.name === name);
