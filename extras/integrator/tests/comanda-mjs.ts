import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import type { TestApi } from '../../../tests/support/api.ts';
import { makeTestFolder } from '../../../tests/support/folder.ts';
import { endAfterTests } from '../../../tests/support/left-over.ts';
import type { Make } from '../../../tests/support/place.ts';
import { noteProcess } from '../../../tests/support/run-directory.ts';
import { use } from '../../../tests/support/use.ts';
import { waitFor } from '../../../tests/support/wait.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** comanda.mjs as an integrator has it: downloaded from the service into an otherwise empty folder. */
export type Download = Awaited<ReturnType<typeof download>>;

/** One for the tests of a file, with the key of the API or one of its own. Each command is a process of its own. */
export function useDownload(api: TestApi, key?: Parameters<Make['key']>[0]) {
  vi.setConfig({ testTimeout: 120_000 });
  return use(async () => download({ url: api.url, key: key ? await api.make.key(key) : api.key }));
}

/** Downloads it into a folder of its own. */
export async function download(api: Pick<TestApi, 'url' | 'key'>) {
  const folder = makeTestFolder('integrator');
  const answer = await fetch(`${api.url}/docs/comanda.mjs`);
  writeFileSync(join(folder, 'comanda.mjs'), await answer.text());
  /** Starts a command there, for the API unless `env` says otherwise. `input` is its standard input. */
  const start = (words: readonly string[], { env = {}, input = '' }: Given = {}) => {
    const { PATH = '' } = process.env;
    const settings = { PATH, COMANDA_URL: api.url, COMANDA_KEY: api.key.key, ...env };
    const child = spawn(process.execPath, ['comanda.mjs', ...words], { cwd: folder, env: settings });
    child.stdin.on('error', () => {}).end(input);
    return watch(child);
  };
  return {
    folder,
    start,
    key: api.key.key,
    /** The same, to its end. */
    run: (words: readonly string[], given?: Given) => start(words, given).ended,
    save: (name: string, bytes: string | Buffer) => writeFileSync(join(folder, name), bytes),
    load: (name: string) => readFileSync(join(folder, name), 'utf8'),
  };
}

interface Given {
  env?: Record<string, string>;
  input?: string;
}

function watch(child: ChildProcess) {
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
    /** Waits until it printed that; gives the match. */
    says: (pattern: RegExp) => waitFor(`${pattern} in what it printed`, () => pattern.exec(printed())),
  };
}
