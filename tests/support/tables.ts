/** One of our tables: its name, and its name as SQL, with the schema. */
export interface OwnTable {
  name: string;
  sql: string;
}

/** The tables of the schemas `public` and `internal`, by name; only those with the column, when one is given. */
export async function ownTables(on: Asks, column?: string): Promise<OwnTable[]> {
  const { rows } = await on.query(
    `select c.relname as name, format('%I.%I', n.nspname, c.relname) as sql
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'internal') and ($1::text is null or exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = $1 and not a.attisdropped))
     order by c.relname collate "C"`,
    [column ?? null],
  );
  return rows as OwnTable[];
}

/** A pool or a client. */
interface Asks {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}
