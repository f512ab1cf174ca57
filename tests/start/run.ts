import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import type { RoleKind } from '../../packages/db/src/roles/access.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { readInstance } from '../../packages/embedded/src/instance.ts';
import { embeddedUrl } from '../../packages/embedded/src/server.ts';
import { endAfterTests } from '../support/left-over.ts';

/** A script such as `npm start` that runs. */
export interface Run {
  process: ChildProcess;
  /** Its output so far. */
  output(): string;
}

/** The program, its data folder and its port. */
export interface RunOptions {
  dataDir: string;
  port: number;
  env?: Readonly<Record<string, string>>;
  /** From the root; scripts/start.mjs unless said. */
  script?: string;
  words?: readonly string[];
  /** The tree that is run; this repository unless said. */
  root?: string;
}

/** Starts it, without demo data unless `env` says so. A run left after the file's tests is ended then. */
export function startRun(options: RunOptions): Run {
  const {
    dataDir,
    port,
    env = {},
    script = 'scripts/start.mjs',
    words = [],
    root = repositoryRoot,
  } = options;
  const child = spawn(process.execPath, [script, ...words], {
    cwd: root,
    env: { ...clean(), DATA_DIR: dataDir, PORT: String(port), SEED_DEMO: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const run = { process: child, output: () => output };
  void once(child, 'close').then(endAfterTests(async () => void (await finish(run, 'SIGTERM'))));
  return run;
}

/** Starts the bundle of a program with these settings, as a service manager does. */
export const startProgram = (program: string, settings: Readonly<Record<string, string>>): Run =>
  startRun({
    script: `dist/${program}.js`,
    dataDir: '/tmp',
    port: 0,
    env: {
      ENCRYPTION_KEY: 'tests-need-no-secret-that-is-secret',
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      ...settings,
    },
  });

/** Our environment without the settings that a test runner may have. */
function clean(): NodeJS.ProcessEnv {
  const { DATABASE_URL, NODE_ENV, HOST, ENCRYPTION_KEY, WEBHOOK_TARGETS, ...rest } = process.env;
  return rest;
}

/** Waits until everything answers. */
export async function serving(run: Run): Promise<void> {
  await until(() => run.output().includes('is ready after') || run.process.exitCode !== null);
  expect(run.output()).toContain('is ready after');
}

/** Sends the signal and gives the exit code. */
export async function finish(run: Run, signal: NodeJS.Signals): Promise<number | null> {
  const exit = ended(run);
  run.process.kill(signal);
  return exit;
}

/** Waits for the end and gives the exit code; null after a signal. */
export async function ended(run: Run): Promise<number | null> {
  if (run.process.exitCode === null && run.process.signalCode === null) await once(run.process, 'close');
  return run.process.exitCode;
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(50);
}

/** Nothing of the server of a data folder is left: no process, and no claim. */
export async function expectNothingLeft(dataDir: string): Promise<void> {
  expect(await embeddedUrl(dataDir)).toBeNull();
  expect(existsSync(join(readInstance(dataDir)?.home ?? dataDir, 'running.json'))).toBe(false);
}

/** Runs SQL on the server of a data folder, as the owner unless said. */
export async function runOn(
  dataDir: string,
  sql: string,
  role: RoleKind | 'superuser' = 'owner',
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: (await embeddedUrl(dataDir, role)) ?? '' });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A port of the loopback without a listener. */
export async function unusedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('the probe has no port');
  return address.port;
}
