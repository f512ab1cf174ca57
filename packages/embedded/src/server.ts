import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RoleKind } from '@comanda/db';
import pg from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { claimHome, type RunningRecord } from './claim.ts';
import { ensureCluster, lastLines, prepareStart, type ServerSettings } from './cluster.ts';
import {
  choosePlace,
  notePlace,
  type Place,
  placeUrl,
  postmasterOf,
  readPlace,
  roleUrlOf,
  settlePlace,
} from './place.ts';
import { choosePort } from './port.ts';
import { endProcesses, runTool } from './processes.ts';
import { watchServer } from './watch.ts';

/** A PostgreSQL server of our own, kept alive until it is stopped. */
export interface EmbeddedServer {
  /** Connection string of its database, loopback only. */
  url: string;
  port: number;
  /** Whether this start made the cluster. */
  created: boolean;
  /** Tells a second start on the same data directory where the service answers and who works for it. */
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

const START_PATIENCE_MS = 20_000;
/** Shorter: whoever starts it again says what is in the way, and tries again. */
const RESTART_PATIENCE_MS = 5_000;
const SURVIVOR_PATIENCE_MS = 5_000;

/**
 * Starts the server of a data directory, made at the first start; recovers from any earlier death of
 * itself or of its owner, and restarts the server when it dies while we live.
 * @throws {AlreadyRunningError} when another process runs it.
 * @throws {Error} when PostgreSQL cannot run here; the message says why.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log = () => {}, settings = {} } = options;
  const place = choosePlace(dataDir, log);
  const claim = claimHome(place.home, dataDir);
  try {
    const binaries = await findBinaries(place.account, log);
    await endLeftovers(place, binaries, claim.abandoned, log);
    settlePlace(place, log);
    const created = await ensureCluster(place, binaries);
    const port = await launch(place, binaries, settings, null);
    await ensureDatabase(place, port);
    // Whoever works on it has its address: it comes back there or not at all.
    const endWatch = watchServer(place, () => launch(place, binaries, settings, port), log);
    return {
      url: placeUrl(place, port),
      port,
      created,
      announce: (more) => claim.update(more),
      async stop() {
        await endWatch();
        await halt(place, binaries);
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/**
 * Connection string of the server that runs in `dataDir` now, whoever started it, as a role, the service unless said; null
 * when none does.
 */
export async function embeddedUrl(
  dataDir: string,
  role: RoleKind | 'superuser' = 'service',
): Promise<string | null> {
  const place = readPlace(dataDir);
  if (place === null || place.port === null || postmasterOf(place) === null) return null;
  return roleUrlOf(place, place.port, role);
}

async function endLeftovers(
  place: Place,
  binaries: Binaries,
  abandoned: RunningRecord | null,
  log: (line: string) => void,
): Promise<void> {
  if (abandoned?.children) await endProcesses(abandoned.children, SURVIVOR_PATIENCE_MS);
  if (postmasterOf(place) === null) return;
  log('the last run was cut off and left its database running: stopping it first');
  await halt(place, binaries);
}

/**
 * Starts PostgreSQL; waits for what an earlier death left behind to go. It moves on from a taken port, unless it must
 * be on `fixedPort`.
 */
async function launch(
  place: Place,
  binaries: Binaries,
  settings: ServerSettings,
  fixedPort: number | null,
): Promise<number> {
  const deadline = Date.now() + (fixedPort === null ? START_PATIENCE_MS : RESTART_PATIENCE_MS);
  for (;;) {
    const port = fixedPort ?? (await choosePort(place.home, place.port));
    if (port !== place.port) {
      place.port = port;
      notePlace(place);
    }
    prepareStart(place, port, settings);
    // A zombie, or a stranger with the old id, would be taken for a living server.
    if (postmasterOf(place) === null) rmSync(join(place.cluster, 'postmaster.pid'), { force: true });
    const logged = statSync(place.logFile).size;
    const { code, output } = await runTool(
      binaries.pgCtl,
      ['start', '-w', '-t', '300', '-s', '-D', place.cluster, '-l', place.logFile],
      place.account,
    );
    if (code === 0) return port;
    const words = readFileSync(place.logFile).subarray(logged).toString('utf8') || output;
    const passing = /lock file|shared memory block|could not bind|Address already in use/.test(words);
    if (!passing || Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${lastLines(words)}`);
    await sleep(200);
  }
}

async function halt(place: Place, binaries: Binaries): Promise<void> {
  for (const [mode, seconds] of [
    ['fast', '20'],
    ['immediate', '10'],
  ] as const) {
    if (postmasterOf(place) === null) return;
    const args = ['stop', '-w', '-t', seconds, '-s', '-m', mode, '-D', place.cluster];
    const { code } = await runTool(binaries.pgCtl, args, place.account);
    if (code === 0) return;
  }
  if (postmasterOf(place) !== null) throw new Error(`PostgreSQL in ${place.cluster} does not stop`);
}

async function ensureDatabase(place: Place, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: placeUrl(place, port, 'postgres') });
  // The statement under way rejects; that the connection broke is nobody else's business.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'comanda'");
    if (rowCount === 0) await client.query('CREATE DATABASE comanda');
  } finally {
    await client.end();
  }
}
