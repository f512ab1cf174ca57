import { sessionNamed } from '@comanda/db';
import pg from 'pg';
import type { Requests } from '../messages.ts';

/** Where a thing is looked for by its id, and which of its times become older. */
const tables: Readonly<Record<string, readonly string[]>> = {
  orders: ['created_at'],
  payments: ['created_at'],
  events: ['created_at', 'published_at'],
  sync_jobs: ['created_at'],
  webhook_deliveries: ['created_at'],
  settlements: ['created_at'],
  turns: ['started_at', 'ended_at'],
  audit_entries: ['created_at'],
};

/**
 * Makes rows look older, as a manual edit of the owner with a deed. Throws {Error} with a sentence where there is
 * nothing of that key or id, and what the database throws where it is no interval.
 */
export async function age(
  ownerUrl: string,
  { locationId, what, by }: Requests['age']['input'],
): Promise<undefined> {
  const client = new pg.Client(sessionNamed(ownerUrl, 'comanda-testing'));
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`select deed('repair: a test makes rows older')`);
    const found =
      'id' in what
        ? await ageById(client, locationId, what.id, by)
        : await ageKey(client, locationId, what.idempotencyKey, by);
    if (!found) {
      const name = 'id' in what ? `the id ${what.id}` : `the idempotency key ${what.idempotencyKey}`;
      throw new Error(`this location has nothing of ${name} that could be made older`);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
  return undefined;
}

async function ageById(client: pg.Client, locationId: string, id: string, by: string): Promise<boolean> {
  for (const [table, times] of Object.entries(tables)) {
    const older = times.map((time) => `${time} = ${time} - $3::interval`).join(', ');
    const { rowCount } = await client.query(
      `update ${table} set ${older} where location_id = $1::uuid and id::text = $2`,
      [locationId, id, by],
    );
    if (rowCount !== 0) return true;
  }
  return false;
}

async function ageKey(client: pg.Client, locationId: string, key: string, by: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update internal.idempotency_keys set created_at = created_at - $3::interval
     where location_id = $1::uuid and key = $2`,
    [locationId, key, by],
  );
  return rowCount !== 0;
}
