import pg from 'pg';
import { type Sql, sqlOf } from '../../support/sql.ts';

/** Another session on the database, as with psql. */
export interface Holder {
  sql: Sql;
  /** How many sessions of the API wait for a lock that is held here. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a session in a transaction that runs `sql` and stays open until it is closed. */
export async function hold(databaseUrl: string, sql: string): Promise<Holder> {
  const [holding, looking] = [0, 1].map(() => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'holder' });
    client.on('error', () => {});
    return client;
  });
  if (holding === undefined || looking === undefined) throw new Error('two sessions are needed');
  await Promise.all([holding.connect(), looking.connect()]);
  await holding.query('begin');
  await holding.query(sql);
  return {
    sql: sqlOf(looking),
    async waiting() {
      const { rows } = await looking.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database()
         and application_name = 'comanda-api' and wait_event_type = 'Lock'`,
      );
      return rows[0]?.count ?? 0;
    },
    async close() {
      await holding.query('rollback');
      await Promise.all([holding.end(), looking.end()]);
    },
  };
}
