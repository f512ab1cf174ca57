import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { migrate } from '../../../packages/db/src/migrate.ts';
import { type Binaries, findBinaries } from '../../../packages/embedded/src/binaries.ts';
import { ensureCluster, prepareStart, type ServerSettings } from '../../../packages/embedded/src/cluster.ts';
import {
  choosePlace,
  type Place,
  placeUrl,
  postmasterOf,
  settlePlace,
} from '../../../packages/embedded/src/place.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { runTool } from '../../../packages/embedded/src/processes.ts';
import { noteProcess } from '../../support/run-directory.ts';
import { runOnce } from '../../support/server.ts';
import { waitFor } from '../../support/wait.ts';
import { childrenOf, isRunning } from './proc.ts';

/** A PostgreSQL that a test stops, kills and starts again; nobody else does. */
export interface OwnServer {
  /** The migrated database. */
  url: string;
  place: Place;
  /** Its main process. */
  pid(): number;
  /** Resolves once it answers, on the same port and the same data. */
  start(): Promise<void>;
  /** Fast rolls back what is open, immediate leaves it to the recovery. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Kills the postmaster and every process of its own with SIGKILL, and waits until all are gone. */
  kill(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** What is special about it. */
export interface OwnServerOptions {
  settings?: ServerSettings;
  /** What PostgreSQL is started by: a command to which its own is appended. */
  through?: readonly string[];
}

/** Makes one with a migrated database, running, and as durable as in earnest. */
export async function startOwnServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const dataDir = join(makeFolder(), 'data');
  const place = choosePlace(dataDir, () => {});
  const binaries = await findBinaries(place.account, () => {});
  settlePlace(place, () => {});
  await ensureCluster(place, binaries);
  const port = await choosePort(place.home, null);
  prepareStart(place, port, { max_connections: '100', ...options.settings });
  const server = serverAt(place, binaries, port, options.through);
  await server.start();
  await runOnce(placeUrl(place, port, 'postgres'), 'create database comanda');
  await migrate(server.url);
  return server;
}

/** The server of a cluster that is there, not running yet. */
export function serverAt(
  place: Place,
  binaries: Binaries,
  port: number,
  through: readonly string[] = [],
): OwnServer {
  let forget = () => {};

  const start = async () => {
    if (postmasterOf(place) !== null) return;
    await launch(place, binaries, through);
    forget();
    const pid = postmasterOf(place);
    if (pid !== null) forget = noteProcess(inject('runDirectory'), pid);
  };
  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    if (postmasterOf(place) === null) return;
    const args = ['stop', '-w', '-t', '60', '-s', '-m', mode, '-D', place.cluster];
    const { code, output } = await runTool(binaries.pgCtl, args, place.account);
    if (code !== 0) throw new Error(`PostgreSQL does not stop: ${output}`);
  };
  return {
    url: placeUrl(place, port),
    place,
    pid: () => postmasterOf(place) ?? 0,
    start,
    stop,
    kill: () => killAll(place),
    async remove() {
      await stop('immediate');
      forget();
      rmSync(place.home, { recursive: true, force: true, maxRetries: 5 });
      rmSync(place.dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A folder that the server's user can enter, in the run's own, which is removed after all tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(inject('runDirectory') || tmpdir(), 'postgres-'));
  chmodSync(folder, 0o711);
  return folder;
}

async function launch(place: Place, binaries: Binaries, through: readonly string[]): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    if (postmasterOf(place) === null) rmSync(join(place.cluster, 'postmaster.pid'), { force: true });
    const [command = '', ...args] = [
      ...[...through, binaries.pgCtl, 'start', '-w', '-t', '60', '-s'],
      ...['-D', place.cluster, '-l', place.logFile],
    ];
    const { code, output } = await runTool(command, args, place.account);
    if (code === 0) return;
    const words = readFileSync(place.logFile, 'utf8').split('\n').slice(-12).join('\n');
    if (Date.now() > end) throw new Error(`PostgreSQL does not start: ${output}\n${words}`);
    await sleep(100);
  }
}

async function killAll(place: Place): Promise<void> {
  const postmaster = postmasterOf(place);
  if (postmaster === null) throw new Error('there is no server to kill');
  const all = [postmaster, ...childrenOf(postmaster)];
  for (const pid of all) end(pid);
  // Born while the list was made.
  await waitFor('every process of the server to be gone', () => {
    const left = all.filter(isRunning);
    for (const pid of left) end(pid);
    return left.length === 0;
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
