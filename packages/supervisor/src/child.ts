import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { backoffMs, configurationExitCode, nodeFlags, repositoryRoot, restarting } from '@comanda/db';
import { markProcess, type ProcessMark } from '@comanda/embedded';

export type { ProcessMark };

/** A process that is kept running until it is stopped. */
export interface Child {
  /** Settles when it first says that it serves; with its URL if it has one. */
  ready: Promise<string | undefined>;
  /** Rejects when it can never run; otherwise stays open. */
  failed: Promise<never>;
  /** The process that runs now; null between two lives. */
  mark(): ProcessMark | null;
  /** Ends it and starts it again after an edit: a developer does not wait for work in flight. When it refuses its settings later, it is tried again. */
  restart(): void;
  /** Lets it finish what is in flight until `deadline` (ms since the epoch), then ends it; true if it was done. */
  stop(deadline: number): Promise<boolean>;
}

/** The process to run: a bundle in dist/, and its message for the person who waits. */
export interface ChildOptions {
  name: string;
  env: NodeJS.ProcessEnv;
  log(line: string): void;
  /** Called whenever the process behind it is another one. */
  onChange(): void;
}

/** The work that a child has to finish before it is restarted. */
const restartMs = 500;
/** Deaths in a row before it was ever ready, after which we give up. */
const earlyDeaths = 5;

/**
 * Starts `dist/<name>.js` and starts it again whenever it dies.
 * It gets a session of its own: a Ctrl-C, or a signal to our group, reaches only us, and we pass on one
 * SIGTERM; our own death reaches it as the IPC channel's 'disconnect'.
 */
export function superviseChild({ name, env, log, onChange }: ChildOptions): Child {
  let current: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let isRestarting = false;
  let wasReady = false;
  // Edits come in parts: a process may start between SQL that is written and SQL that is applied.
  let isEdited = false;
  let deaths = 0;
  const ready = openPromise<string | undefined>();
  const failed = openPromise<never>();
  const ended = openPromise<void>();

  const start = () => {
    const began = Date.now();
    isRestarting = false;
    clearTimeout(timer);
    const child = spawn(process.execPath, [...nodeFlags(name), join(repositoryRoot, 'dist', `${name}.js`)], {
      cwd: repositoryRoot,
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    current = child;
    child.on('message', (message) => {
      if (!isReady(message)) return;
      if (wasReady) log(`${name} is ready again`);
      wasReady = true;
      ready.resolve(message.url);
    });
    child.on('error', (error) => log(`${name}: ${error.message}`));
    child.on('exit', (code, signal) => {
      current = null;
      if (stopping) return ended.resolve();
      if (isRestarting) return start();
      const reason = signal ?? `exit code ${code}`;
      deaths = Date.now() - began > restarting.healthyLifeMs ? 1 : deaths + 1;
      if (code === configurationExitCode && !isEdited)
        return failed.reject(new Error(`${name} refuses its settings`));
      if (!wasReady && deaths >= earlyDeaths)
        return failed.reject(new Error(`${name} does not start (${reason})`));
      const waitMs = backoffMs(deaths, restarting);
      log(`${name} died (${reason}): starting it again in ${waitMs / 1000} s`);
      timer = setTimeout(start, waitMs);
    });
    onChange();
  };
  start();

  return {
    ready: ready.promise,
    failed: failed.promise,
    mark: () => (current?.pid === undefined ? null : markProcess(current.pid)),
    restart() {
      if (stopping || isRestarting) return;
      clearTimeout(timer);
      deaths = 0;
      isEdited = true;
      const child = current;
      isRestarting = child !== null;
      if (child === null) return start();
      child.kill('SIGTERM');
      timer = setTimeout(() => child.kill('SIGKILL'), restartMs);
    },
    async stop(deadline) {
      stopping = true;
      clearTimeout(timer);
      const child = current;
      if (child === null) return true;
      let drained = true;
      child.kill('SIGTERM');
      const end = setTimeout(
        () => {
          drained = false;
          child.kill('SIGKILL');
        },
        Math.max(0, deadline - Date.now()),
      );
      await ended.promise;
      clearTimeout(end);
      return drained;
    },
  };
}

/**
 * Runs `dist/<name>.js` to its end and gives what it wrote to standard output. Like a child it has a session of its own.
 * @throws {Error} with what it wrote to standard error, when it failed.
 */
export function runOnce(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(repositoryRoot, 'dist', `${name}.js`)], {
      cwd: repositoryRoot,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const written = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        written[stream] += text;
      });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(written.stdout);
      else reject(new Error(written.stderr.trim() || `${name} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

interface OpenPromise<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function openPromise<T>(): OpenPromise<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function isReady(message: unknown): message is { ready: true; url?: string } {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
