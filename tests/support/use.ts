import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** For how long something is there: `file` is the file, or the `describe` that it is in. */
export type Lifetime = 'file' | 'test';

/**
 * Starts something before the tests and ends it after them, in reverse order of the calls. The handle may be held from
 * the beginning (`const api = useApi()`) and read in hooks and tests.
 *
 * @throws {Error} when it is read before it was started.
 */
export function use<Handle extends object>(
  start: () => Promise<Handle>,
  end: (handle: Handle) => Promise<unknown> = async () => {},
  lifetime: Lifetime = 'file',
): Handle {
  let started: Handle | undefined;
  const [before, after] = lifetime === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    started = await start();
  }, 120_000);
  after(async () => {
    // It can be read on: a timer of what was closed may still ask, and is answered as by anything that is closed.
    if (started !== undefined) await end(started);
  }, 120_000);
  const handle = (): Handle => {
    if (started === undefined)
      throw new Error('it is started before the tests: read it in hooks and in tests');
    return started;
  };
  // Each trap of the proxy uses the present handle.
  return new Proxy({} as Handle, {
    get: (_, name) => Reflect.get(handle(), name),
    has: (_, name) => Reflect.has(handle(), name),
    ownKeys: () => Reflect.ownKeys(handle()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(handle(), name),
  });
}

/** The same for what has a `close`. */
export const useClosed = <Handle extends { close(): Promise<unknown> }>(
  start: () => Promise<Handle>,
  lifetime?: Lifetime,
): Handle => use(start, (handle) => handle.close(), lifetime);
