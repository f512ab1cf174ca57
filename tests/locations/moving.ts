import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningWorker } from '@comanda/worker';
import pg from 'pg';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { type CommandOutcome, callComanda, runComanda } from '../support/command.ts';
import { superuserUrl } from '../support/database.ts';
import { roleUrl } from '../support/roles.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { type Sql, sqlOf } from '../support/sql.ts';
import { createSteppedWorker, type SteppedWorker } from '../support/stepped-worker.ts';
import { ownTables } from '../support/tables.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

/** The rows that two databases share. */
export const encryptionKey = randomBytes(32).toString('base64');

/** One database with its API, as an operator has it. */
export interface Place {
  api: TestApi;
  comanda(...argv: string[]): Promise<CommandOutcome>;
  /** The same as a process, for a command while this process is busy. */
  run(...argv: string[]): Promise<CommandOutcome>;
  /** Begins a command; the promise resolves when it has said `line` on standard error. */
  begin(line: string, ...argv: string[]): Promise<Begun>;
  /** Starts a worker, which is stopped with the place. */
  startWorker(): Promise<RunningWorker>;
  /** The parts of one without its loops, in place of a worker. */
  stepWorker(): Promise<SteppedWorker>;
  /** Plain SQL of a superuser. */
  sql: Sql;
  /** How many rows each table has of a location; those with none are left out. */
  rowsOf(locationId: string): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** A command that runs. */
export interface Begun {
  kill(signal: NodeJS.Signals): void;
  ended: Promise<number | null>;
  /** Its output on standard error. */
  said(): string;
}

/** Kills a command. Resolves once its sessions at these places are over: PostgreSQL notices the end of a process later. */
export async function kill(begun: Begun, ...places: readonly Place[]): Promise<void> {
  begun.kill('SIGKILL');
  await begun.ended;
  await sessionsEnd(...places);
}

/** Waits for the end of the sessions of commands. */
export const sessionsEnd = (...places: readonly Place[]): Promise<unknown> =>
  Promise.all(
    places.map(({ sql }) =>
      waitFor('the sessions of commands to end', async () => {
        const found = await sql`
          select from pg_stat_activity where datname = current_database() and application_name = 'comanda-cli'`;
        return found.length === 0;
      }),
    ),
  );

/** One for the tests of a file. */
export const usePlace = (): Place => useClosed(startPlace);

async function startPlace(): Promise<Place> {
  const api = await startTestApi({ encryptionKey });
  const outside = new pg.Client({
    connectionString: superuserUrl(api.databaseUrl),
    // So guards take it for the service.
    application_name: 'comanda-outside',
  });
  await outside.connect();
  const workers: { stop(): Promise<void> }[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), 'comanda-place-'));
  const settings = {
    DATABASE_URL: api.databaseUrl,
    DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner'),
    ENCRYPTION_KEY: encryptionKey,
    DATA_DIR: dataDir,
  };
  return {
    api,
    comanda: (...argv) => callComanda(settings, ...argv),
    run: (...argv) => runComanda(settings, ...argv),
    begin(line, ...argv) {
      const script = join(repositoryRoot, 'dist', 'comanda.js');
      const child = spawn(process.execPath, [script, ...argv], {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
      return new Promise((resolve, reject) => {
        let said = '';
        child.stderr.on('data', (chunk) => {
          said += String(chunk);
          if (said.includes(line)) resolve({ kill: (signal) => child.kill(signal), ended, said: () => said });
        });
        void ended.then((code) => reject(new Error(`ended with ${code} before "${line}": ${said}`)));
      });
    },
    async startWorker() {
      const worker = await startTestWorker(api.databaseUrl, encryptionKey, {
        webhookRetryDelaysSeconds: [1, 1, 1, 1],
      });
      workers.push(worker);
      return worker;
    },
    async stepWorker() {
      const worker = await createSteppedWorker(api.databaseUrl, encryptionKey);
      workers.push(worker);
      return worker;
    },
    sql: sqlOf(outside),
    async rowsOf(locationId) {
      const counts: Record<string, number> = {};
      for (const { name, sql } of await ownTables(outside, 'location_id')) {
        const { rows } = await outside.query(`select count(*)::int as n from ${sql} where location_id = $1`, [
          locationId,
        ]);
        if (rows[0].n > 0) counts[name] = rows[0].n;
      }
      return counts;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await outside.end();
      await api.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The tables of a place that hold a text in any column. */
export async function tablesWith({ sql }: Pick<Place, 'sql'>, text: string): Promise<string[]> {
  const asks = { query: async (query: string, values: unknown[]) => ({ rows: await sql(query, values) }) };
  const found: string[] = [];
  for (const table of await ownTables(asks)) {
    const rows = await sql(`select from ${table.sql} t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(table.name);
  }
  return found;
}

/** A folder for exports, for the tests of a file. */
export const useFolder = (): { path: string } =>
  useClosed(async () => {
    const path = mkdtempSync(join(tmpdir(), 'comanda-location-'));
    return { path, close: async () => rmSync(path, { recursive: true }) };
  });
