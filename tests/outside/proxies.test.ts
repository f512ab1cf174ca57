import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, type RunningApp, startServer } from '@comanda/api';
import { createClient, type WatchState } from '@comanda/client';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bounds, defaultBounds } from '../../packages/api/src/http/bounds.ts';
import { defaultLiveBounds, type LiveBounds } from '../../packages/api/src/live/bounds.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { makeProduct } from './load.ts';
import { type FrontProxy, proxies, startProxy, timesOf } from './proxies.ts';

// The files of ops/nginx and ops/haproxy, before two processes of the API.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const encryptionKey = randomBytes(32).toString('base64');
let database: TestDatabase;
let key: string;
let settings: Record<string, string>;
let worker: TestProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey, WEBHOOK_TARGETS: 'any' };
  worker = await startProcess({ entry: 'worker', env: settings });
  const opened = openDatabase({ url: database.url });
  const locationId = await createLocation(opened);
  ({ key } = await createKey(opened, { locationId, perMinute: 1_000_000 }));
  await opened.close();
});
afterAll(async () => {
  await worker?.stop();
  await database?.drop();
});

/** Two servers of the API in this process, with other bounds than a process of its own has. */
async function startTwo(bounds: Partial<Bounds>, live: Partial<LiveBounds> = {}) {
  const start = async () => {
    const app: RunningApp = await createApp({
      databaseUrl: database.url,
      encryptionKey,
      idempotencyTtlHours: 1,
      live,
      webhookTargets: 'any',
      webhookAllowCidrs: [],
      logLevel: 'silent',
    });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 }, { ...defaultBounds, ...bounds });
    return { app, server };
  };
  const [one, two] = await Promise.all([start(), start()]);
  return {
    urls: [one.server.url, two.server.url] as const,
    async close() {
      for (const { app, server } of [one, two]) {
        await server.drain(1_000);
        await app.close();
      }
    },
  };
}

/** Watches by way of a proxy, and keeps what it is given. */
function watch(url: string) {
  const ending = new AbortController();
  const ids: string[] = [];
  const states: WatchState['status'][] = [];
  const onState = ({ status }: WatchState) => states.push(status);
  const events = createClient({ url, key }).events.watch({}, { signal: ending.signal, onState });
  const ended = (async () => {
    for await (const event of events) if (event.type === 'product.created') ids.push(event.data.id);
  })();
  const live = () => waitFor('the stream to be live', () => states.at(-1) === 'live');
  const end = () => {
    ending.abort();
    return ended;
  };
  return { ids, states, live, end };
}

const make = (url: string, agent?: Agent) => makeProduct(url, key, agent);

describe.each(Object.keys(proxies) as (keyof typeof proxies)[])('behind %s', (name) => {
  it('the times of the example are in their order', () => {
    const { restMs, waitMs } = timesOf(name);
    expect(restMs).not.toEqual([]);
    // HAProxy closes half of what rests each time: of 64 the last one after six.
    const longest = name === 'HAProxy' ? Math.log2(64) : 1;
    for (const ms of restMs) expect(ms * longest).toBeLessThan(defaultBounds.keepAliveMs);
    expect(waitMs).toHaveLength(2);
    for (const ms of waitMs) {
      expect(ms).toBeGreaterThan(defaultBounds.silenceMs);
      expect(ms).toBeGreaterThan(defaultLiveBounds.quietMs * 2);
    }
  });

  it('no client can read the metrics, all else is handed on', async () => {
    const two = await startTwo({});
    const proxy = await startProxy(name, two.urls);
    const statusOf = async (path: string) => (await fetch(`${proxy.url}${path}`)).status;
    try {
      for (const path of ['/metrics', '/metrics?x=1', '/metrics/', '//metrics', '/%6Detrics'])
        expect(await statusOf(path), path).toBe(404);
      expect(await statusOf('/readyz')).toBe(200);
    } finally {
      await proxy.stop();
      await two.close();
    }
  });

  it('a stream hands on each event at once, and outlives the time that the proxy waits for a word', async () => {
    const two = await startTwo({}, { quietMs: 300 });
    const proxy = await startProxy(name, two.urls, { waitMs: 1_000 });
    const watching = watch(proxy.url);
    try {
      await watching.live();
      await sleep(4_000);
      const { id = '' } = await make(proxy.url);
      await waitFor('the event', () => watching.ids.includes(id));
      expect(watching.states).toEqual(['connecting', 'live']);
    } finally {
      await watching.end();
      await proxy.stop();
      await two.close();
    }
  });

  it('thousands of requests on connections that rest in between are all answered', async () => {
    // As in the examples, but a hundred times as fast: the proxy gives a connection up before the API does.
    const two = await startTwo({ keepAliveMs: 600 });
    const proxy = await startProxy(name, two.urls, { restMs: name === 'nginx' ? 300 : 50 });
    const failures: string[] = [];
    let sent = 0;
    const lane = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let round = 0; round < 40; round += 1) {
        sent += 1;
        const { failed } = await make(proxy.url, agent);
        if (failed !== undefined) failures.push(failed);
        // Around the times after which the proxy, and after which the API, closes what rests.
        await sleep((round % 2 === 0 ? 300 : 600) + (round % 20) - 10);
      }
      agent.destroy();
    };
    try {
      await Promise.all(Array.from({ length: 60 }, lane));
      expect(sent).toBe(2_400);
      expect(failures).toEqual([]);
    } finally {
      await proxy.stop();
      await two.close();
    }
  });

  it('a process stops under load: every request is answered, and a watch misses nothing', async () => {
    const start = () => startProcess({ entry: 'api', env: settings });
    const [one, two] = await Promise.all([start(), start()]);
    let proxy: FrontProxy | undefined;
    let watches: ReturnType<typeof watch>[] = [];
    try {
      proxy = await startProxy(name, [one.url ?? '', two.url ?? '']);
      const { url } = proxy;
      // Some of them by each of the processes.
      watches = Array.from({ length: 4 }, () => watch(url));
      await Promise.all(watches.map(({ live }) => live()));
      const results: Awaited<ReturnType<typeof make>>[] = [];
      let isMaking = true;
      const lane = async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        while (isMaking) results.push(await make(url, agent));
        agent.destroy();
      };
      const lanes = Promise.all(Array.from({ length: 6 }, lane));
      await waitFor('requests', () => results.length > 100);
      expect(await one.stop()).toEqual({ code: 0, signal: null });
      const stopped = results.length;
      await waitFor('requests by the other', () => results.length > stopped + 100);
      isMaking = false;
      await lanes;
      expect(results.flatMap(({ failed }) => failed ?? [])).toEqual([]);
      const made = results.map(({ id }) => id).sort();
      for (const { ids } of watches) {
        await waitFor('every event', () => ids.length >= made.length);
        expect(ids.toSorted()).toEqual(made);
      }
      expect(watches.some(({ states }) => states.includes('waiting'))).toBe(true);
    } finally {
      await Promise.all(watches.map(({ end }) => end()));
      await proxy?.stop();
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});
