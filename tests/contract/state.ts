import type { Hand } from '../support/by-hand.ts';

/**
 * The rows of a location in the database, table by table: how many, and a hash of them all. When a key was last
 * used says nothing.
 */
export async function stateOf(sql: Hand['sql'], locationId: string): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }>(
    `select c.table_schema || '.' || c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.column_name = 'location_id' and t.table_type = 'BASE TABLE' order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ state: string }>(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(r.doc, '' order by r.doc)), '') as state
       from (select (to_jsonb(t) - 'last_used_at')::text as doc from ${name} t where t.location_id = $1) r`,
      [locationId],
    );
    state[name] = row?.state ?? '';
  }
  return state;
}
