import type pg from 'pg';

/** A column, as PostgreSQL has it. */
export interface CatalogColumn {
  table: string;
  name: string;
  /** `text`, `numeric`, `timestamp with time zone` … */
  type: string;
  notNull: boolean;
}

/** A foreign key: `columns` of `table` name `parentColumns` of `parent`, in the same order. */
export interface ForeignKey {
  table: string;
  parent: string;
  columns: readonly string[];
  parentColumns: readonly string[];
  /** The row goes when its parent goes. */
  cascades: boolean;
}

/**
 * The schema that migrations made, as far as SQL is written from it: types, nulls and foreign keys are facts of the
 * database alone.
 */
export interface Catalog {
  /** In the order of the table. */
  columns: readonly CatalogColumn[];
  foreignKeys: readonly ForeignKey[];
  /** The columns of each primary key, in its order. */
  keys: Readonly<Record<string, readonly string[]>>;
}

/** Reads the tables of `public` and `internal`. Names come without their schema: no two tables share one. */
export async function readCatalog(client: Pick<pg.ClientBase, 'query'>): Promise<Catalog> {
  const columns = await client.query<CatalogColumn>(`
    select c.relname as table, a.attname as name, format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), null) as type,
      a.attnotnull as "notNull"
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    where ${own} and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`);
  const foreignKeys = await client.query<ForeignKey>(`
    select c.relname as table, p.relname as parent, f.confdeltype = 'c' as cascades,
      array(select a.attname::text from unnest(f.conkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.number order by k.place) as columns,
      array(select a.attname::text from unnest(f.confkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.number order by k.place) as "parentColumns"
    from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
    where f.contype = 'f' and ${own} order by c.relname, f.conname`);
  const keys = await client.query<{ table: string; columns: string[] }>(`
    select c.relname as table, array(select a.attname::text from unnest(i.indkey::int2[]) with ordinality k (number, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid where i.indisprimary and ${own}`);
  return {
    columns: columns.rows,
    foreignKeys: foreignKeys.rows,
    keys: Object.fromEntries(keys.rows.map(({ table, columns: key }) => [table, key])),
  };
}

const own = `c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace)`;
