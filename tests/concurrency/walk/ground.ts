import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Answer } from '../../support/api.ts';
import type { Chance } from '../../support/chance.ts';
import { createKey, createPaymentMethod } from '../../support/factories.ts';
import { openRestaurant, type Restaurant } from '../../support/restaurant.ts';
import { openAs } from '../../support/roles.ts';
import { waitFor } from '../../support/wait.ts';

/** Where a random walk goes: a restaurant, chance, and transactions that are left open. */
export interface Ground {
  chance: Chance;
  restaurant: Restaurant;
  locationId: string;
  paymentMethodId: string;
  /** Rises with every call: part of names that must be new. */
  next(): number;
  /** Calls one of the two processes; throws when the answer's status is none of those. */
  call(route: string, body: unknown, ...statuses: number[]): Promise<Answer>;
  /** Runs SQL with the location as $1, on a connection of its own: a refusal rolls back and is none of our business. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs statements on one connection, beginning with BEGIN; a transaction left open is committed or rolled back later. */
  transact(statements: readonly string[], leaveOpen?: boolean): Promise<void>;
  /** Ends one of the transactions that are open, the oldest first. */
  endOne(how: 'commit' | 'rollback'): Promise<void>;
  close(): Promise<void>;
}

// Errors that one writer may cause for another, and refusals of the guards: unique, foreign and not null keys, checks, races.
const refused = /^(23|40|CM0|22023|55P03)/;

/** Opens one, with products in categories and orders of two months. */
export async function openGround(chance: Chance): Promise<Ground> {
  const restaurant = await openRestaurant();
  const { database, locationId } = restaurant;
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  await createKey(database, { locationId });
  await database.pool.query('update api_keys set batch_jobs_per_hour = 1000000');
  const { connectionString } = database.pool.options;
  const open: pg.Client[] = [];
  let count = 0;
  const connect = async () => {
    const client = await openAs(connectionString ?? '', 'owner');
    return client;
  };
  const forgiving = (error: { code?: string }) => {
    if (!refused.test(error.code ?? '')) throw error;
  };

  const ground: Ground = {
    chance,
    restaurant,
    locationId,
    paymentMethodId,
    next: () => ++count,
    async call(route, body, ...statuses) {
      const answer = await restaurant.call(count++, route, {
        ...(body !== undefined && { body, headers: { 'idempotency-key': randomUUID() } }),
      });
      if (!statuses.includes(answer.status))
        throw new Error(`${route} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
      return answer;
    },
    async sql<Row>(text: string, values: unknown[] = []) {
      return (await database.pool.query(text, [locationId, ...values])).rows as Row[];
    },
    async transact(statements, leaveOpen = false) {
      const client = await connect();
      try {
        for (const statement of statements) await client.query(statement.replaceAll('$1', `'${locationId}'`));
      } catch (error) {
        await client.end();
        return forgiving(error as { code?: string });
      }
      if (leaveOpen) open.push(client);
      else await client.end();
    },
    async endOne(how) {
      const client = open.shift();
      await client?.query(how).catch(forgiving);
      await client?.end();
    },
    async close() {
      for (const client of open.splice(0)) await client.end();
      await restaurant.stop();
      await restaurant.close();
    },
  };
  return ground;
}

/** Waits until the job has ended. */
export function jobIsDone({ restaurant }: Ground, id: string): Promise<unknown> {
  return waitFor('the job to be done', async () => {
    const { rows } = await restaurant.database.pool.query(
      `select from sync_jobs where id = $1 and status in ('completed', 'failed')`,
      [id],
    );
    return rows.length === 1;
  });
}
