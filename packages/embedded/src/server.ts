import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { again, type RoleKind, repeat, sessionNamed } from '@comanda/db';
import pg from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { claimHome, type RunningRecord, readClaim } from './claim.ts';
import { ensureCluster, lastLines, prepareStart, type ServerSettings } from './cluster.ts';
import {
  chooseInstance,
  type Instance,
  instanceUrl,
  noteInstance,
  postmasterOf,
  readInstance,
  roleUrlOf,
  settleInstance,
} from './instance.ts';
import { readLogin } from './logins.ts';
import { endProcesses, runTool } from './os-processes.ts';
import { choosePort } from './port.ts';
import { superviseServer } from './supervise.ts';

export { type Account, serverAccount } from './account.ts';
export { forgetful, lastLines } from './cluster.ts';
export { forgetLogin, keepLogin, newPassword } from './logins.ts';
export { markProcess, type ProcessMark, runTool, type ToolOptions } from './os-processes.ts';

/** A PostgreSQL server of our own, kept alive until it is stopped. */
export interface EmbeddedServer {
  /** Connection string of its database, loopback only. */
  url: string;
  port: number;
  /** Whether this start made the cluster. */
  created: boolean;
  /**
   * Records for a second start on the same data directory where the service responds and which process works for it.
   */
  announce(more: Omit<RunningRecord, 'owner'>): void;
  /** Ends the server, every change on disk, and lets go of the data directory. */
  stop(): Promise<void>;
}

/** Options of `startEmbedded`. */
export interface EmbeddedOptions {
  /** Absolute path; one server lives in each. */
  dataDir: string;
  log?(line: string): void;
  /** Server settings over the defaults, as postgresql.conf names them. */
  settings?: ServerSettings;
}

const startPatienceMs = 20_000;
/** Shorter: another start reports the obstacle, and tries again. */
const restartPatienceMs = 5_000;
const survivorPatienceMs = 5_000;

/**
 * Starts the server of a data directory, made at the first start; recovers from any earlier death of
 * itself or of its owner, and restarts the server when it dies while we live.
 * @throws {AlreadyRunningError} when another process runs it.
 * @throws {Error} when PostgreSQL cannot run here; the message says why.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log = () => {}, settings = {} } = options;
  const instance = chooseInstance(dataDir, log);
  const claim = claimHome(instance.home, dataDir);
  try {
    const binaries = await findBinaries(instance.account, log);
    await endLeftovers(instance, binaries, claim.abandoned, log);
    settleInstance(instance, log);
    const created = await ensureCluster(instance, binaries);
    const port = await launch(instance, binaries, settings, null);
    await ensureDatabase(instance, port).catch(async (error: unknown) => {
      await halt(instance, binaries);
      throw error;
    });
    // Its clients have its address: it comes back there or not at all.
    const endSupervision = superviseServer(instance, () => launch(instance, binaries, settings, port), log);
    return {
      url: instanceUrl(instance, port),
      port,
      created,
      announce: (more) => claim.update(more),
      async stop() {
        await endSupervision();
        await halt(instance, binaries);
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/**
 * Connection string of the server that runs in `dataDir` now, started by any process, as a role, the service by
 * default; null when none runs.
 */
export async function embeddedUrl(
  dataDir: string,
  role: RoleKind | 'superuser' = 'service',
): Promise<string | null> {
  const instance = readInstance(dataDir);
  if (instance === null || instance.port === null || postmasterOf(instance) === null) return null;
  return roleUrlOf(instance, instance.port, role);
}

/** The same as the person of that name; null as well where that person has no login there. */
export async function embeddedLoginUrl(dataDir: string, name: string): Promise<string | null> {
  const password = readLogin(dataDir, name);
  const url = password === null ? null : await embeddedUrl(dataDir, 'superuser');
  if (url === null || password === null) return null;
  return Object.assign(new URL(url), { username: name, password }).href;
}

/** The folder that the files of the server of `dataDir` are in, running or not; null where no start has made one. */
export function embeddedFolder(dataDir: string): string | null {
  return readInstance(dataDir)?.cluster ?? null;
}

/** Base URL of the service that runs on `dataDir` now, as it announced it; null when none answers there yet. */
export function embeddedServiceUrl(dataDir: string): string | null {
  const instance = readInstance(dataDir);
  return (instance && readClaim(instance.home)?.url) ?? null;
}

async function endLeftovers(
  instance: Instance,
  binaries: Binaries,
  abandoned: RunningRecord | null,
  log: (line: string) => void,
): Promise<void> {
  if (abandoned?.children) await endProcesses(abandoned.children, survivorPatienceMs);
  if (postmasterOf(instance) === null) return;
  log('the last run was cut off and left its database running: stopping it first');
  await halt(instance, binaries);
}

/**
 * Starts PostgreSQL; waits for what an earlier death left behind to go. It moves on from a taken port, unless it must
 * be on `fixedPort`.
 */
async function launch(
  instance: Instance,
  binaries: Binaries,
  settings: ServerSettings,
  fixedPort: number | null,
): Promise<number> {
  const deadline = Date.now() + (fixedPort === null ? startPatienceMs : restartPatienceMs);
  return repeat(async () => {
    const port = fixedPort ?? (await choosePort(instance.home, instance.port));
    if (port !== instance.port) {
      instance.port = port;
      noteInstance(instance);
    }
    prepareStart(instance, port, settings);
    // A zombie, or a stranger with the old id, would be taken for a living server.
    if (postmasterOf(instance) === null) rmSync(join(instance.cluster, 'postmaster.pid'), { force: true });
    const logged = statSync(instance.logFile).size;
    const { code, output } = await runTool(
      binaries.pgCtl,
      ['start', '-w', '-t', '300', '-s', '-D', instance.cluster, '-l', instance.logFile],
      instance.account,
    );
    if (code === 0) return port;
    const words = readFileSync(instance.logFile).subarray(logged).toString('utf8') || output;
    const passing = /lock file|shared memory block|could not bind|Address already in use/.test(words);
    if (!passing || Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${lastLines(words)}`);
    return again(200);
  });
}

async function halt(instance: Instance, binaries: Binaries): Promise<void> {
  for (const [mode, seconds] of [
    ['fast', '20'],
    ['immediate', '10'],
  ] as const) {
    if (postmasterOf(instance) === null) return;
    const args = ['stop', '-w', '-t', seconds, '-s', '-m', mode, '-D', instance.cluster];
    const { code } = await runTool(binaries.pgCtl, args, instance.account);
    if (code === 0) return;
  }
  if (postmasterOf(instance) !== null) throw new Error(`PostgreSQL in ${instance.cluster} does not stop`);
}

async function ensureDatabase(instance: Instance, port: number): Promise<void> {
  const client = new pg.Client(sessionNamed(instanceUrl(instance, port, 'postgres'), 'comanda'));
  // The statement under way rejects; the broken connection itself concerns no other code.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'comanda'");
    if (rowCount === 0) await client.query('CREATE DATABASE comanda');
  } finally {
    await client.end();
  }
}
