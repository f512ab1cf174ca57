import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInstance } from '../../../packages/embedded/src/instance.ts';
import { ended, serving, startRun } from '../../start/run.ts';

/** `npm start` that serves, in a folder of its own. */
export interface ServingRun {
  baseUrl: string;
  /** The demo key, where there is demo data. */
  key: string;
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
export async function runStart(env: Record<string, string> = {}): Promise<ServingRun> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-start-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  const run = startRun({ dataDir, port: 0, env: { SEED_DEMO: 'true', LOG_LEVEL: 'warn', ...env } });
  await serving(run);
  const keyFile = join(dataDir, 'demo-key');
  return {
    baseUrl: /Base URL +(\S+)/.exec(run.output())?.[1] ?? '',
    key: existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '',
    children() {
      const file = join(readInstance(dataDir)?.home ?? '', 'running.json');
      const { children = [] }: { children?: { pid: number }[] } = JSON.parse(readFileSync(file, 'utf8'));
      return children.map(({ pid }) => pid);
    },
    stop: () => void run.process.kill('SIGTERM'),
    ended: ended(run),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
