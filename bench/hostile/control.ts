import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readPrices } from '../../packages/api/src/resources/categories/prices.statements.ts';
import type { Target } from './target.ts';

/** Ends what runs. */
export type EndControl = () => Promise<void>;

/**
 * Runs ten statements over every product of a category over and over, each on a connection of its own and from this process: the least that
 * PostgreSQL has to do for ten calls that read as much.
 */
export async function startStatements(url: string, { locationId, categoryId }: Target): Promise<EndControl> {
  const clients = Array.from(
    { length: 10 },
    () => new pg.Client({ connectionString: url, application_name: 'control' }),
  );
  let isOver = false;
  const runs = clients.map(async (client) => {
    await client.connect();
    while (!isOver) {
      await client.query(`select count(*), sum(length(name)) from (${readPrices.text}) read`, [
        locationId,
        categoryId,
      ]);
      await sleep(0);
    }
    await client.end();
  });
  return async () => {
    isOver = true;
    await Promise.all(runs);
  };
}
