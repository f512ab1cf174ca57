import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, startServer } from '@comanda/api';
import { startWorker } from '@comanda/worker';
import pg from 'pg';
import { planLifetimeMs } from '../../packages/db/src/connection/plan-lifetime.ts';
import { startConsumer } from '../support/consumer.ts';
import { createTestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { explainDatabase, listenToPlans, type RunStatement } from './auto-explain.ts';

/** The API's server, the worker and a consumer of its webhooks in this process, on a database of their own. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts it on a database without vacuum and analyze; `heard` hears every statement of the service. */
export async function startService(heard: (run: RunStatement) => void) {
  const database = await createTestDatabase();
  const outside = new pg.Client({
    connectionString: database.superuserUrl,
    application_name: 'comanda-test',
  });
  await outside.connect();
  // A deed holds for one transaction, so each statement has its own; one after the other, since they share a connection.
  let last: Promise<unknown> = Promise.resolve();
  let within = false;
  /** Runs SQL that is not the service's: it is not recorded. */
  const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const next = last.then(async () => {
      // A transaction counts as one deed.
      const alone = !within && text !== 'begin';
      if (alone || text === 'begin') {
        await outside.query('begin');
        await outside.query(`select deed('repair: tables are filled and emptied')`);
      }
      within = text === 'begin' || (within && text !== 'commit');
      try {
        const rows = text === 'begin' ? [] : (await outside.query(text, values)).rows;
        if (alone) await outside.query('commit');
        return rows as Row[];
      } catch (error) {
        await outside.query('rollback');
        within = false;
        throw error;
      }
    });
    last = next.catch(() => {});
    return next;
  };
  for (const { command } of await sql<{ command: string }>(withoutAutovacuum)) await sql(command);
  await explainDatabase(database.superuserUrl);
  const listening = listenToPlans(heard);
  const encryptionKey = randomBytes(32).toString('base64');
  const settings = {
    databaseUrl: database.url,
    encryptionKey,
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
  };
  const app = await createApp({ ...settings, idempotencyTtlHours: 168 });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  const consumer = await startConsumer(sometimesFailing);
  const worker = await startWorker({
    ...settings,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [0.05, 0.05, 0.05, 0.05],
  });
  return {
    url: server.url,
    app,
    consumer,
    sql,
    /** The name of a prepared statement; empty for a statement in a function or without a name. */
    nameOf: (text: string) => listening.nameOf(text) ?? '',
    /** Waits until no connection keeps a plan from before. */
    plansExpired: () => sleep(planLifetimeMs),
    /** Waits until every change is published and delivered, and every job done. */
    async settled() {
      await waitFor('the worker', async () => (await sql<{ idle: boolean }>(nothingWaits))[0]?.idle, {
        timeoutMs: 60_000,
        intervalMs: 50,
      });
    },
    async close() {
      await server.drain(1_000);
      await worker.stop();
      await app.close();
      await consumer.close();
      listening.stop();
      await outside.end();
      await database.drop();
    },
  };
}

// Retries are statements, too.
const sometimesFailing: Parameters<typeof startConsumer>[0] = (_, response, nth) => {
  response.statusCode = nth % 7 === 0 ? 500 : 204;
  response.end();
};

const withoutAutovacuum = `
  select format('alter table %s set (autovacuum_enabled = false)', c.oid::regclass) as command
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname in ('public', 'internal', 'graphile_worker')`;

const nothingWaits = `
  select not exists (select from internal.captured_changes where failures = 0)
    and not exists (select from webhook_deliveries where next_attempt_at is not null)
    and not exists (select from internal.endpoint_clearings where look_at <= now())
    and not exists (select from sync_jobs where status in ('queued', 'processing'))
    and not exists (select from price_changes where status = 'planned' and effective_at <= now())
    and not exists (select from graphile_worker.jobs where run_at <= now() and attempts < max_attempts) as idle`;
