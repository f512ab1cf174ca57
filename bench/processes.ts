import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags } from '../packages/db/src/processes/node-flags.ts';
import { repositoryRoot } from '../packages/db/src/root.ts';

/** A process that the bench started. */
export interface BenchProcess {
  pid: number;
  /** Where it answers, if it does. */
  url: string;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Starts `dist/<entry>.js` and waits until it says that it serves. Its log goes to `logFile`. */
export function startBundle(
  entry: 'api' | 'worker' | 'reference' | 'outbox' | 'consumer' | 'attacker',
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<BenchProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...nodeFlags(entry), join(repositoryRoot, 'dist', `${entry}.js`)], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => {
      running.delete(child);
      resolve();
    });
  });
  return new Promise((resolve, reject) => {
    child.on('message', (message: { ready?: boolean; url?: string }) => {
      if (message.ready !== true) return;
      resolve({
        pid: child.pid ?? 0,
        url: message.url ?? '',
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
      });
    });
    void ended.then(() => reject(new Error(`${entry} ended before it served; see ${logFile}`)));
  });
}

/** Ends all processes that still run. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}
