import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { endAfterTests } from '../support/left-over.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that runs. */
export interface Running {
  /** Its output so far, of both streams. */
  printed(): string;
  /** Waits until it printed that; gives the match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

/** comanda.mjs as an integrator has it: downloaded from the service into an otherwise empty folder. */
export interface Download {
  folder: string;
  /** Starts a command there, for the API unless `env` says otherwise. `input` is its standard input. */
  start(words: readonly string[], options?: { env?: Record<string, string>; input?: string }): Running;
  /** The same, to its end. */
  run(words: readonly string[], options?: { env?: Record<string, string>; input?: string }): Promise<Ended>;
}

/** Downloads it into a folder of its own, which goes with the file's tests. */
export async function download(api: Pick<TestApi, 'url' | 'key'>): Promise<Download> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-integrator-'));
  folders.push(folder);
  const answer = await fetch(`${api.url}/docs/comanda.mjs`);
  writeFileSync(join(folder, 'comanda.mjs'), await answer.text());
  const start: Download['start'] = (words, { env = {}, input = '' } = {}) => {
    const { PATH = '' } = process.env;
    const settings = { PATH, COMANDA_URL: api.url, COMANDA_KEY: api.key.key, ...env };
    const child = spawn(process.execPath, ['comanda.mjs', ...words], { cwd: folder, env: settings });
    child.stdin.on('error', () => {}).end(input);
    return watch(child);
  };
  return { folder, start, run: (...call) => start(...call).ended };
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function watch(child: ChildProcess): Running {
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const ended = once(child, 'close').then(([code]): Ended => {
    forget();
    return { code, ...texts };
  });
  const stop = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  void ended.then(endAfterTests(() => stop('SIGKILL')));
  const printed = () => texts.stdout + texts.stderr;
  return {
    printed,
    stop,
    ended,
    says: (pattern) => waitFor(`${pattern} in what it printed`, () => pattern.exec(printed())),
  };
}
