import type pg from 'pg';
import { withClient } from '../support/sql.ts';

/** Runs `work` in one read-only snapshot on a connection of its own. */
export async function inSnapshot<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const look = async (client: pg.Client) => {
    await client.query('begin isolation level repeatable read read only');
    return work(client);
  };
  return withClient(databaseUrl, look, 'model');
}
