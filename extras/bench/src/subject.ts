import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase, repositoryRoot, sessionNamed } from '@comanda/db';
import { startEmbedded } from '@comanda/embedded';
import pg from 'pg';
import { type Cpu, processMs, serverMs } from './cpu.ts';
import { type BenchProcess, startBundle } from './processes.ts';
import { schema } from './reference/schema.ts';

/** A checkout that is measured, on a PostgreSQL of its own with a database for Comanda and one for the reference. */
export interface Subject {
  /** The folder of the checkout. */
  root: string;
  /** A folder that goes at the end. */
  directory: string;
  /** Process id of the PostgreSQL server. */
  postmaster: number;
  database: Database;
  databaseUrl: string;
  referenceUrl: string;
  /** Starts an API process of the checkout; `env` over the settings of the bench. */
  startApi(env?: Record<string, string>): Promise<BenchProcess>;
  startWorker(): Promise<BenchProcess>;
  startReference(): Promise<BenchProcess>;
  startConsumer(): Promise<BenchProcess>;
  /** Starts a caller that attacks (hostile/attacker.ts). */
  startAttacker(env: Record<string, string>): Promise<BenchProcess>;
  /** CPU time that the API, the worker and PostgreSQL have used until now, in milliseconds. */
  cpuMs(): Cpu;
  /** Stops the processes that were started, so that the next part starts its own. */
  stopProcesses(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a checkout that is built: a new PostgreSQL with the settings of `npm start`, and the tables of that checkout.
 * @throws {Error} when it is not built.
 */
export async function openSubject(root: string): Promise<Subject> {
  for (const bundle of ['api', 'worker', 'comanda'])
    if (!existsSync(join(root, 'dist', `${bundle}.js`)))
      throw new Error(`${root} has no dist/${bundle}.js: run npm run build there`);
  const directory = mkdtempSync(join(tmpdir(), 'comanda-bench-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(directory, 0o711);
  const server = await startEmbedded({ dataDir: join(directory, 'data') });
  const env = {
    DATABASE_URL: server.url,
    DATABASE_OWNER_URL: server.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_TARGETS: 'any',
    // As the reference: one process, on any machine.
    API_PROCESSES: '1',
  };
  await promisify(execFile)(process.execPath, [join(root, 'dist/comanda.js'), 'migrate'], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  const referenceUrl = server.url.replace(/\/comanda$/, '/reference');
  await runSql(server.url, 'create database reference');
  await runSql(referenceUrl, schema);
  const database = openDatabase({ url: server.url, poolSize: 4, applicationName: 'comanda-bench' });
  const postmaster = await postmasterOf(database);
  const started: { entry: string; process: BenchProcess }[] = [];
  const start = async (
    from: string,
    entry: Parameters<typeof startBundle>[1],
    more: Record<string, string>,
  ) => {
    const process = await startBundle(from, entry, more, join(directory, `${entry}.log`));
    started.push({ entry, process });
    return {
      ...process,
      async stop() {
        started.splice(
          started.findIndex((one) => one.process === process),
          1,
        );
        await process.stop();
      },
    };
  };
  const usedBy = (entry: string) =>
    started.filter((one) => one.entry === entry).reduce((sum, one) => sum + processMs(one.process.pid), 0);
  const stopProcesses = async () => {
    await Promise.all(started.splice(0).map(({ process }) => process.stop()));
  };
  return {
    root,
    directory,
    postmaster,
    database,
    databaseUrl: server.url,
    referenceUrl,
    startApi: (more = {}) => start(root, 'api', { ...env, ...more }),
    startWorker: () => start(root, 'worker', env),
    startReference: () => start(repositoryRoot, 'reference', { DATABASE_URL: referenceUrl }),
    startConsumer: () => start(repositoryRoot, 'consumer', {}),
    startAttacker: (more) => start(repositoryRoot, 'attacker', more),
    cpuMs: () => ({ api: usedBy('api'), postgres: serverMs(postmaster), worker: usedBy('worker') }),
    stopProcesses,
    async close() {
      await stopProcesses();
      await database.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Runs one SQL text on a connection of its own. */
export async function runSql(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(sessionNamed(url, 'comanda-bench'));
  await client.connect();
  try {
    const { rows } = await client.query(text, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Process id of its server: the parent of a backend. */
async function postmasterOf({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const stat = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
