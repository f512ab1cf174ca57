import type pg from 'pg';

/** Runs `work` on a connection of the pool and gives that back, or closes it when it cannot be used any more. */
export async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  for (let retired = 0; ; ) {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      // Nothing of it has happened: the same again on another connection, as often as there are old ones.
      broken = error;
      retired += 1;
      if (retired > pool.options.max) throw error;
    } finally {
      client.release(broken);
    }
  }
}

/**
 * A prepared statement whose columns a migration has changed: Postgres refuses it on every connection that prepared it
 * before, for as long as the connection lives. The function's name is the same in every language of the server.
 */
function isStalePlan(error: unknown): error is Error {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}
