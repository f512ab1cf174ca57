import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A session of a connection string, for the rest of the test. */
export async function openSession(connectionString: string, application_name = 'psql'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A connection of a pool with an open transaction; what is left open is rolled back when the test ends. */
export async function beginIn(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  onTestFinished(async () => {
    await client.query('rollback');
    client.release();
  });
  await client.query('begin');
  return client;
}
