import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@comanda/db';
import { type Answer, type Call, callRest, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { sqlOf } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';

/** Two API servers and a worker on one database, with one location in it. */
export interface BulkShop {
  database: Database;
  locationId: string;
  paymentMethodId: string;
  /** Calls one of the two: even turns the first, odd turns the second. */
  call(turn: number, route: string, body?: unknown): Promise<Answer>;
  /** Waits until every products job has ended; counts them by status and by error of the service. */
  jobs(): Promise<{ status: string; error: string | null; jobs: number }[]>;
  /** Stops them; how many deadlocks the database has seen since it was made. */
  deadlocks(): Promise<number>;
  close(): Promise<void>;
}

/** Opens one. */
export async function openBulkShop(): Promise<BulkShop> {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url });
  const apis = [await startTestApi({ databaseUrl: own.url }), await startTestApi({ databaseUrl: own.url })];
  const worker = await startTestWorker(own.url, randomBytes(32).toString('base64'));
  let stopped: Promise<unknown> | undefined;
  const stop = () => {
    stopped ??= Promise.all([worker.stop(), ...apis.map((api) => api.close())]);
    return stopped;
  };
  const locationId = await createLocation(database);
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  const { key } = await createKey(database, { locationId, batchJobsPerHour: 10_000 });
  const sql = sqlOf(database);
  return {
    database,
    locationId,
    paymentMethodId,
    call(turn, route, body) {
      // A job needs a key; what is called twice with other values has none.
      const headers = { 'idempotency-key': `turn-${turn}` };
      const call: Call = { key, ...(route === 'POST /v2/sync/products' && { headers }) };
      return callRest(apis[turn % 2]?.url ?? '', route, { ...call, ...(body !== undefined && { body }) });
    },
    async jobs() {
      const open = `select from sync_jobs where location_id = $1 and status in ('queued', 'processing')`;
      const ended = async () => (await sql(open, [locationId])).length === 0;
      await waitFor('the end of every job', ended, { timeoutMs: 120_000, intervalMs: 200 });
      return sql`
        select status::text, error, count(*)::int as jobs from sync_jobs where location_id = ${locationId} group by 1, 2`;
    },
    async deadlocks() {
      await stop();
      // A session hands in what it has counted at its end at the latest.
      await waitFor('the sessions of the processes to end', async () => {
        const sessions = `select from pg_stat_activity where datname = current_database()
          and application_name like 'comanda-%' and pid <> pg_backend_pid()`;
        return (await sql(sessions)).length === 0;
      });
      const [row] = await sql<{ seen: number }>`
        select deadlocks::int as seen from pg_stat_database where datname = current_database()`;
      return row?.seen ?? Number.NaN;
    },
    async close() {
      await stop();
      await database.close();
      await own.drop();
    },
  };
}
