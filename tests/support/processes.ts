import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import { nodeFlags } from '../../packages/db/src/processes/node-flags.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { endAfterTests } from './left-over.ts';
import { noteProcess } from './run-directory.ts';

/** The process to start: a bundle in dist/, and its environment. */
export interface ProcessOptions {
  entry: 'api' | 'worker';
  /** Over a bare environment with a free port, a quiet log and an encryption key. */
  env: Readonly<Record<string, string>>;
  /** How long it may take to say that it serves; 30 s unless said. */
  readyTimeoutMs?: number;
  /** Node's own flags. */
  flags?: readonly string[];
  /** The folder of dist/; the repository by default. */
  root?: string;
  /** A file that is open for appending, which its standard output leads to instead of `output()`. */
  stdout?: number;
}

/** One of our processes that serves. */
export interface TestProcess {
  /** Base URL, of a process that has one. */
  url?: string;
  pid: number;
  /** Everything it has written so far. */
  output(): string;
  /** How it ended; stays open while it runs. */
  ended: Promise<Ending>;
  /** Sends the signal (SIGTERM unless said) and waits for the end; after 40 s it is killed and this throws. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** How a process ended: its exit code, or the signal that ended it. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Starts a real process from dist/ and waits until it says that it serves. Processes that still run when the
 * file's tests have ended are ended then, also after a failure.
 * @throws {Error} with everything it wrote, when it ends or stays silent instead.
 */
export async function startProcess(options: ProcessOptions): Promise<TestProcess> {
  const { entry, env, readyTimeoutMs = 30_000, flags = [], root = repositoryRoot, stdout = 'pipe' } = options;
  const words = ['--enable-source-maps', ...nodeFlags(entry), ...flags, join(root, 'dist', `${entry}.js`)];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const ended = watchEnd(child);
  const running: Running = { entry, child, ended, output: () => output };
  const url = await ready(running, readyTimeoutMs);
  return {
    ...(url !== undefined && { url }),
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    stop: (signal = 'SIGTERM') => stop(running, signal, 40_000),
  };
}

interface Running {
  entry: string;
  child: ChildProcess;
  ended: Promise<Ending>;
  output(): string;
}

function watchEnd(child: ChildProcess): Promise<Ending> {
  const forget = child.pid === undefined ? () => {} : noteProcess(inject('runDirectory'), child.pid);
  return new Promise((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      forget();
      resolve({ code, signal });
    };
    child.on('error', () => end(null, null));
    // "close" and not "exit": by then everything it wrote has arrived.
    child.on('close', end);
  });
}

async function ready(running: Running, timeoutMs: number): Promise<string | undefined> {
  const { entry, child, ended, output } = running;
  void ended.then(endAfterTests(() => stop(running, 'SIGTERM', 20_000)));
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      child.on('message', (message) => {
        if (isReady(message)) resolve(message.url);
      });
      child.on('error', reject);
      void ended.then(({ code, signal }) =>
        reject(new Error(`${entry} ended (${signal ?? `exit code ${code}`}) before it served:\n${output()}`)),
      );
      timer = setTimeout(
        () => reject(new Error(`${entry} did not serve within ${timeoutMs} ms:\n${output()}`)),
        timeoutMs,
      );
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(running: Running, signal: NodeJS.Signals, patienceMs: number): Promise<Ending> {
  const { entry, child, ended, output } = running;
  let killed = false;
  child.kill(signal);
  const timer = setTimeout(() => {
    killed = child.kill('SIGKILL');
  }, patienceMs);
  const ending = await ended;
  clearTimeout(timer);
  if (killed) throw new Error(`${entry} did not stop within ${patienceMs} ms of ${signal}:\n${output()}`);
  return ending;
}

function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
    ...(TMPDIR && { TMPDIR }),
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    ENCRYPTION_KEY: 'tests-need-no-secret-that-is-secret',
  };
}

function isReady(message: unknown): message is { ready: true; url?: string } {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
