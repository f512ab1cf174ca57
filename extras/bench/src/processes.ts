import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFlags } from '@comanda/db';

/** A process that the bench started. */
export interface BenchProcess {
  pid: number;
  /** Where it answers, if it does. */
  url: string;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/**
 * Starts `dist/<entry>.js` of a checkout and waits until it says that it serves. Its log goes to `logFile`.
 * @throws {Error} when it ends before that.
 */
export function startBundle(
  root: string,
  entry: 'api' | 'worker' | 'reference' | 'consumer' | 'attacker',
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<BenchProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...nodeFlags(entry), join(root, 'dist', `${entry}.js`)], {
    cwd: root,
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
