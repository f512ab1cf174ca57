import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { migrate } from '../../../packages/db/src/migrations/migrate.ts';
import { type Binaries, findBinaries } from '../../../packages/embedded/src/binaries.ts';
import {
  ensureCluster,
  forgetful,
  prepareStart,
  type ServerSettings,
} from '../../../packages/embedded/src/cluster.ts';
import {
  chooseInstance,
  type Instance,
  instanceUrl,
  postmasterOf,
  settleInstance,
} from '../../../packages/embedded/src/instance.ts';
import { runTool } from '../../../packages/embedded/src/os-processes.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { noteProcess } from '../../support/run-directory.ts';
import { runOnce } from '../../support/server.ts';
import { waitFor } from '../../support/wait.ts';
import { childrenOf, isRunning } from './proc.ts';

/** A PostgreSQL that a test stops, kills and starts again; no other code does. */
export interface OwnServer {
  /** The migrated database. */
  url: string;
  instance: Instance;
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

/** Its peculiarity. */
export interface OwnServerOptions {
  settings?: ServerSettings;
  /** The command that starts PostgreSQL: its own is appended to it. */
  through?: readonly string[];
}

/** Makes one with a migrated database, running, and as durable as in earnest. */
export async function startOwnServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  template ??= makeTemplate();
  const { cluster, password } = await template;
  const instance = chooseInstance(join(makeFolder(), 'data'), () => {});
  instance.password = password;
  settleInstance(instance, () => {});
  // With its owner, who may not be us.
  const { status, stderr } = spawnSync('cp', ['-a', cluster, instance.cluster], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the copy failed: ${stderr}`);
  const port = await choosePort(instance.home, null);
  prepareStart(instance, port, { max_connections: '100', ...options.settings });
  const binaries = await findBinaries(instance.account, () => {});
  const server = serverAt(instance, binaries, port, options.through);
  await server.start();
  return server;
}

/** The cluster with the migrated database that the servers of this process are copies of. It does not run. */
let template: Promise<Instance> | undefined;

async function makeTemplate(): Promise<Instance> {
  const instance = chooseInstance(join(makeFolder(), 'data'), () => {});
  const binaries = await findBinaries(instance.account, () => {});
  settleInstance(instance, () => {});
  await ensureCluster(instance, binaries);
  const port = await choosePort(instance.home, null);
  prepareStart(instance, port, forgetful);
  const server = serverAt(instance, binaries, port);
  await server.start();
  await runOnce(instanceUrl(instance, port, 'postgres'), 'create database comanda');
  await migrate(server.url);
  await server.stop();
  return instance;
}

/** The server of a cluster that is there, not running yet. */
export function serverAt(
  instance: Instance,
  binaries: Binaries,
  port: number,
  through: readonly string[] = [],
): OwnServer {
  let forget = () => {};

  const start = async () => {
    if (postmasterOf(instance) !== null) return;
    await launch(instance, binaries, through);
    forget();
    const pid = postmasterOf(instance);
    if (pid !== null) forget = noteProcess(inject('runDirectory'), pid);
  };
  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    if (postmasterOf(instance) === null) return;
    const args = ['stop', '-w', '-t', '60', '-s', '-m', mode, '-D', instance.cluster];
    const { code, output } = await runTool(binaries.pgCtl, args, instance.account);
    if (code !== 0) throw new Error(`PostgreSQL does not stop: ${output}`);
  };
  return {
    url: instanceUrl(instance, port),
    instance,
    pid: () => postmasterOf(instance) ?? 0,
    start,
    stop,
    kill: () => killAll(instance),
    async remove() {
      await stop('immediate');
      forget();
      rmSync(instance.home, { recursive: true, force: true, maxRetries: 5 });
      rmSync(instance.dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A folder that the server's user can enter, in the run's own, which is removed after all tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(inject('runDirectory') || tmpdir(), 'postgres-'));
  chmodSync(folder, 0o711);
  return folder;
}

async function launch(instance: Instance, binaries: Binaries, through: readonly string[]): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    if (postmasterOf(instance) === null) rmSync(join(instance.cluster, 'postmaster.pid'), { force: true });
    const [command = '', ...args] = [
      ...through,
      binaries.pgCtl,
      'start',
      '-w',
      '-t',
      '60',
      '-s',
      '-D',
      instance.cluster,
      '-l',
      instance.logFile,
    ];
    const { code, output } = await runTool(command, args, instance.account);
    if (code === 0) return;
    const words = readFileSync(instance.logFile, 'utf8').split('\n').slice(-12).join('\n');
    if (Date.now() > end) throw new Error(`PostgreSQL does not start: ${output}\n${words}`);
    await sleep(100);
  }
}

async function killAll(instance: Instance): Promise<void> {
  const postmaster = postmasterOf(instance);
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
