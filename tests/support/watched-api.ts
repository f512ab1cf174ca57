import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Database, openDatabase } from '@comanda/db';
import { inject } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { createTestDatabase } from './database.ts';
import { startProcess } from './processes.ts';

/** Work of the main thread without a turn of the event loop. */
export interface Stop {
  /** When it ended, in milliseconds since 1970. */
  until: number;
  /** CPU time of the main thread in milliseconds. */
  ms: number;
}

/** One API process from dist/ whose event loop and memory are watched from outside. */
export interface WatchedApi {
  url: string;
  app: { database: Database };
  /** The longest stop that ended at `since` (milliseconds since 1970) or later; 0 where none was 15 ms long. */
  longestStopMs(since: number): number;
  /** Highest resident memory since `forgetPeak`, in MiB. */
  peakMiB(): number;
  /** Starts the search for the highest again; returns the present one, in MiB. */
  forgetPeak(): number;
  close(): Promise<void>;
}

/** Starts one on a database of its own. `flags` are Node's. Linux only. */
export async function startWatchedApi(flags: readonly string[] = []): Promise<WatchedApi> {
  const own = await createTestDatabase();
  const directory = mkdtempSync(join(inject('runDirectory'), 'watched-'));
  const file = join(directory, 'stops');
  writeFileSync(file, '');
  const preload = pathToFileURL(join(repositoryRoot, 'tests/support/loop-stops.mjs')).href;
  const api = await startProcess({
    entry: 'api',
    env: { DATABASE_URL: own.url, API_PROCESSES: '1', WEBHOOK_TARGETS: 'any', STOPS: file },
    flags: [...flags, '--import', preload],
  });
  const database = openDatabase({ url: own.url, poolSize: 2 });
  return {
    url: api.url ?? '',
    app: { database },
    longestStopMs: (since) =>
      Math.max(0, ...stopsIn(file).flatMap(({ until, ms }) => (until >= since ? [ms] : []))),
    peakMiB: () => highestMiB(api.pid),
    forgetPeak() {
      writeFileSync(`/proc/${api.pid}/clear_refs`, '5');
      return highestMiB(api.pid);
    },
    async close() {
      await database.close();
      await api.stop();
      await own.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function stopsIn(file: string): Stop[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [, until = 0, ms = 0] = line.split(' ').map(Number);
    return { until, ms };
  });
}

function highestMiB(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`no highest size of process ${pid}`);
  return Math.round(Number(kilobytes) / 1_024);
}
