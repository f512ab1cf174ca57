import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocation, issueKey } from '@comanda/api/services';
import { type Database, openDatabase } from '@comanda/db';
import pg from 'pg';
import { migrate } from '../packages/db/src/migrations/migrate.ts';
import { startEmbedded } from '../packages/embedded/src/server.ts';
import { type BenchProcess, endAll, startBundle } from './processes.ts';
import { schema } from './reference/schema.ts';

/** Where the bench runs: one PostgreSQL with a database for each side, and a folder that goes at the end. */
export interface Setup {
  directory: string;
  /** Process id of the PostgreSQL server. */
  postmaster: number;
  comanda: Database;
  comandaUrl: string;
  /** Connection string of the reference's database, with its tables and no data. */
  referenceUrl: string;
  /** Starts an API process; `env` over the settings of the bench. */
  startApi(env?: Record<string, string>): Promise<BenchProcess>;
  startWorker(env?: Record<string, string>): Promise<BenchProcess>;
  startReference(): Promise<BenchProcess>;
  startConsumer(): Promise<BenchProcess>;
  /** Starts a caller that attacks (hostile/attacker.ts). */
  startAttacker(env: Record<string, string>): Promise<BenchProcess>;
  close(): Promise<void>;
}

/** A location, its cash payment method, and a key without bounds that matter here. */
export interface Tenant {
  locationId: string;
  key: string;
  paymentMethodId: string;
}

/** Opens one: a new PostgreSQL of the same binaries and settings as `npm start`, except for the given ones. */
export async function openSetup(settings: Readonly<Record<string, string>> = {}): Promise<Setup> {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-bench-'));
  chmodSync(directory, 0o711);
  const server = await startEmbedded({ dataDir: join(directory, 'data'), settings });
  await migrate(server.url);
  const referenceUrl = server.url.replace(/\/comanda$/, '/reference');
  await runSql(server.url, 'create database reference');
  await runSql(referenceUrl, schema);
  const comanda = openDatabase({ url: server.url, poolSize: 4, applicationName: 'comanda-bench' });
  const env = {
    DATABASE_URL: server.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_TARGETS: 'any',
    // As the reference: one process, on any machine.
    API_PROCESSES: '1',
  };
  const log = (name: string) => join(directory, `${name}.log`);
  return {
    directory,
    postmaster: await postmasterOf(comanda),
    comanda,
    comandaUrl: server.url,
    referenceUrl,
    startApi: (more = {}) => startBundle('api', { ...env, ...more }, log('api')),
    startWorker: (more = {}) => startBundle('worker', { ...env, ...more }, log('worker')),
    startReference: () => startBundle('reference', { DATABASE_URL: referenceUrl }, log('reference')),
    startConsumer: () => startBundle('consumer', {}, log('consumer')),
    startAttacker: (more) => startBundle('attacker', more, log('attacker')),
    async close() {
      endAll();
      await comanda.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Makes a tenant of Comanda. */
export async function makeTenant({ comanda }: Pick<Setup, 'comanda'>): Promise<Tenant> {
  const { id } = await createLocation(comanda, {
    name: 'Bench',
    timezone: 'America/Montevideo',
    currency: 'UYU',
  });
  const method = await comanda.prisma.paymentMethod.findFirstOrThrow({ where: { locationId: id } });
  const { key } = await issueKey(comanda, {
    name: 'bench',
    permissions: ['*'],
    location_id: id,
    per_minute: 1_000_000_000,
    monthly: 1_000_000_000,
    batch_jobs_per_hour: 1_000_000,
    max_items_per_batch: 1_000_000,
  });
  return { locationId: id, key, paymentMethodId: method.id };
}

/** Runs one SQL text on a connection of its own. */
export async function runSql(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'comanda-bench' });
  await client.connect();
  try {
    const { rows } = await client.query(text, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Process id of its server: the parent of a backend. */
export async function postmasterOf({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const stat = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
