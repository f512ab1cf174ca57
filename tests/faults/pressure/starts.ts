import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { readInstance } from '../../../packages/embedded/src/instance.ts';
import { endAfterTests } from '../../support/left-over.ts';
import { noteProcess } from '../../support/run-directory.ts';
import { waitFor } from '../../support/wait.ts';

/** `npm start`, as far as it is ours: the supervisor with everything under it. */
export interface Run {
  baseUrl: string;
  /** The demo key, where there is demo data. */
  key: string;
  output(): string;
  /** The processes of API and worker, where the run has a database of its own. */
  children(): number[];
  /** Asks it to stop. */
  stop(): void;
  /** Its exit code. */
  ended: Promise<number | null>;
  /** Removes its data. */
  remove(): void;
}

/** Starts one with demo data and waits until it serves. `env` may name a database. */
export async function runStart(env: Record<string, string> = {}): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-start-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: repositoryRoot,
    env: {
      ...clean(),
      ...{ DATA_DIR: dataDir, PORT: '0', SEED_DEMO: 'true', LOG_LEVEL: 'warn', ...env },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const forget = child.pid === undefined ? () => {} : noteProcess(inject('runDirectory'), child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const settled = endAfterTests(() => {
    child.kill('SIGTERM');
    return ended;
  });
  const ended = endOf(child).then((code) => {
    forget();
    settled();
    return code;
  });
  await waitFor('npm start to serve', () => output.includes('is ready after') || child.exitCode !== null, {
    timeoutMs: 120_000,
  });
  if (!output.includes('is ready after')) throw new Error(`npm start ended:\n${output}`);
  return {
    baseUrl: /Base URL +(\S+)/.exec(output)?.[1] ?? '',
    key: existsSync(join(dataDir, 'demo-key')) ? readFileSync(join(dataDir, 'demo-key'), 'utf8').trim() : '',
    output: () => output,
    children: () => childrenOf(dataDir),
    stop: () => void child.kill('SIGTERM'),
    ended,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Our environment without the settings that a test runner may have. */
function clean(): NodeJS.ProcessEnv {
  const { DATABASE_URL, NODE_ENV, HOST, ENCRYPTION_KEY, WEBHOOK_TARGETS, ...rest } = process.env;
  return rest;
}

async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode;
}

function childrenOf(dataDir: string): number[] {
  const home = readInstance(dataDir)?.home;
  if (home === undefined) return [];
  const record: { children?: { pid: number }[] } = JSON.parse(
    readFileSync(join(home, 'running.json'), 'utf8'),
  );
  return (record.children ?? []).map(({ pid }) => pid);
}
