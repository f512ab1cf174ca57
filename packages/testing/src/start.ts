import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestLocation, type TestLocation } from './location.ts';
import type { LocationOptions, Reply, Requests, ServiceOptions } from './messages.ts';

/** How it is started; everything can be left out. */
export interface StartOptions {
  /**
   * Where the prepared database is kept between starts, about 70 MB; `COMANDA_TESTING_CACHE`, or `comanda-testing` in the
   * user's cache folder unless given. It can be removed at any time.
   */
  cacheDir?: string | undefined;
  /** How long the start may take, in milliseconds; 120,000 unless given: the first one prepares the database. */
  timeoutMs?: number | undefined;
}

/** A Comanda of a test's own: API, worker and PostgreSQL in a process next to the test's. */
export interface TestComanda {
  /** The base URL: `http://127.0.0.1:49152`. */
  url: string;
  /** A new restaurant that no other test sees. Throws {Error} with the sentence of what is wrong with the options. */
  newLocation(options?: LocationOptions): Promise<TestLocation>;
  /** Ends everything and removes its data. A second call waits for the first. */
  stop(): Promise<void>;
}

/**
 * Starts a real Comanda on loopback with an empty database of its own. The first start prepares a database, which takes
 * some seconds; later ones copy it. It ends by `stop()`, or with the process that started it, however that ends; alone it
 * keeps no process from ending.
 *
 * @throws {Error} with what it wrote, when it does not start within `timeoutMs`.
 *
 * @example
 * const comanda = await startComanda();
 * const { client, products } = await comanda.newLocation();
 */
export async function startComanda({
  cacheDir,
  timeoutMs = 120_000,
}: StartOptions = {}): Promise<TestComanda> {
  const options: ServiceOptions = { cacheDir: cacheDir ?? usualCache() };
  const service = startService(options);
  const { url } = await service.started(timeoutMs);
  return {
    url,
    newLocation: async (wanted = {}) =>
      createTestLocation(url, await service.ask('newLocation', wanted), (age) => service.ask('age', age)),
    stop: service.stop,
  };
}

/** Asks the process of the service. */
export type Ask = <Name extends keyof Requests>(
  name: Name,
  input: Requests[Name]['input'],
) => Promise<Requests[Name]['output']>;

interface Service {
  started(timeoutMs: number): Promise<{ url: string }>;
  ask: Ask;
  stop(): Promise<void>;
}

interface Waiting {
  resolve(output: never): void;
  reject(error: Error): void;
}

function startService(options: ServiceOptions): Service {
  // A session of its own: a Ctrl-C reaches the tests alone, and our end reaches it as that of the channel.
  const child = spawn(process.execPath, [serviceFile(), JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: environment(),
    detached: true,
  });
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    // Not "close": what is read of a pipe that was let go of does not end.
    child.once('exit', () => setImmediate(resolve));
  });
  const waiting = new Map<number | 'ready', Waiting>();
  const hold = holder(child);
  const settle = (key: number | 'ready', how: (waiter: Waiting) => void) => {
    const waiter = waiting.get(key);
    if (waiter === undefined) return;
    waiting.delete(key);
    hold.let();
    how(waiter);
  };
  const wait = <Output>(key: number | 'ready'): Promise<Output> => {
    hold.take();
    return new Promise<Output>((resolve, reject) => waiting.set(key, { resolve, reject }));
  };
  child.on('message', (reply: Reply) => {
    if ('ready' in reply) settle('ready', ({ resolve }) => resolve(reply.ready as never));
    else if ('failed' in reply) settle('ready', ({ reject }) => reject(new Error(reply.failed)));
    else if ('error' in reply) settle(reply.number, ({ reject }) => reject(new Error(reply.error)));
    else settle(reply.number, ({ resolve }) => resolve(reply.output as never));
  });
  void ended.then(() => {
    const words = written.trim();
    for (const key of [...waiting.keys()])
      settle(key, ({ reject }) => reject(new Error(`Comanda has ended${words === '' ? '' : `: ${words}`}`)));
  });
  let numbers = 0;
  return {
    async started(timeoutMs) {
      const timer = setTimeout(
        () =>
          settle('ready', ({ reject }) =>
            reject(new Error(`Comanda did not start within ${timeoutMs} ms ${written.trim()}`.trim())),
          ),
        timeoutMs,
      );
      try {
        return await wait<{ url: string }>('ready');
      } catch (error) {
        if (child.connected) child.disconnect();
        await ended;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async ask(name, input) {
      if (!child.connected) throw new Error('Comanda has ended');
      numbers += 1;
      const answer = wait<never>(numbers);
      child.send({ number: numbers, name, input });
      return answer;
    },
    async stop() {
      hold.take();
      if (child.connected) child.disconnect();
      await ended;
      hold.let();
    },
  };
}

/** A test's process may end while nothing is asked of the service. */
function holder(child: ChildProcess): { take(): void; let(): void } {
  let held = 0;
  const set = (isHeld: boolean) => {
    const pipe = child.stderr as { ref?(): void; unref?(): void } | null;
    for (const each of [child, child.channel, pipe])
      if (isHeld) each?.ref?.();
      else each?.unref?.();
  };
  set(false);
  return {
    take() {
      held += 1;
      if (held === 1) set(true);
    },
    let() {
      held -= 1;
      if (held === 0) set(false);
    },
  };
}

/** Built: next to this file. In the workspace: in dist/, which `npm test` builds. */
function serviceFile(): string {
  const places = ['./service/main.js', '../../../dist/testing-service.js'];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`@comanda/testing is not whole: ${files[0]} is missing`);
  return found;
}

function usualCache(): string {
  const { COMANDA_TESTING_CACHE, XDG_CACHE_HOME } = process.env;
  return COMANDA_TESTING_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'comanda-testing');
}

/** Nothing of the test's own settings (NODE_OPTIONS of a test runner, DATABASE_URL) reaches it. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|TMPDIR|LD_.*|DYLD_.*)$/.test(name),
  );
  return { ...Object.fromEntries(kept), NODE_ENV: 'test' };
}
