import { migrate } from '../../../packages/db/src/migrations/migrate.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { withClient } from '../../support/sql.ts';

/** The database's objects of `prisma/sql`, each as the database writes it, and its record of them. */
export async function readObjects(databaseUrl: string): Promise<{ made: string[]; remembered: unknown[] }> {
  return withClient(databaseUrl, async (client) => {
    const made = await client.query<{ definition: string }>(`
      select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select pg_get_viewdef(oid) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
      union all
      select pg_get_triggerdef(t.oid) || tgenabled::text from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace in ('public'::regnamespace, 'internal'::regnamespace) and not tgisinternal
      order by 1`);
    const { rows: remembered } = await client.query(
      'select identity, checksum, definition, gone_since from internal.sql_objects order by identity',
    );
    return { made: made.rows.map(({ definition }) => definition), remembered };
  });
}

/** The same of a database that never had another folder than this one. */
export async function readFreshObjects(sqlDirectory: string): ReturnType<typeof readObjects> {
  const fresh = await createEmptyDatabase();
  try {
    await migrate(fresh.url, { sqlDirectory });
    return await readObjects(fresh.url);
  } finally {
    await fresh.drop();
  }
}
