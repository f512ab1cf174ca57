import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFault, thorough, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Scene, setScene } from './postgres/scene.ts';
import { type OwnServer, startOwnServer } from './postgres/server.ts';
import { type Seen, type Watcher, watchApi } from './postgres/watcher.ts';

/** A way for PostgreSQL to go away. */
interface Outage {
  name: string;
  trials: number;
  /** Settles when it is gone. */
  leave(server: OwnServer): Promise<void>;
  /** How long it stays away at least. */
  awayMs: number;
}

const outages: Outage[] = [
  // Only in the full form: `stopped` below shuts the server down in the same way.
  { name: 'restarted', trials: trials(0, 10), leave: (server) => server.stop('fast'), awayMs: 0 },
  {
    name: 'restarted at once',
    trials: trials(1, 10),
    leave: (server) => server.stop('immediate'),
    awayMs: 0,
  },
  {
    name: 'stopped',
    trials: trials(1, 3),
    leave: (server) => server.stop('fast'),
    awayMs: thorough ? 20_000 : 3_000,
  },
  { name: 'killed', trials: trials(1, 20), leave: (server) => server.kill(), awayMs: 0 },
];

/** Opening a connection may take so long that a caller would notice: no caller waits for that. */
const fastMs = 2_000;

let server: OwnServer;
let scene: Scene;
let watcher: Watcher;

beforeAll(async () => {
  server = await startOwnServer();
  scene = await setScene(server.url);
  watcher = watchApi(scene.apiUrl, scene.key);
}, 180_000);
afterAll(async () => {
  await watcher.stop();
  await scene.close();
  await server.remove();
}, 120_000);

test('PostgreSQL goes away under load: 503 meanwhile, then all goes on by itself and nothing is lost', {
  timeout: 3_000_000,
}, async () => {
  for (const outage of outages.filter(({ trials }) => trials > 0)) {
    const figures = { refused: 0, slowestMs: 0, recoveredMs: 0, resumedMs: 0 };
    for (let trial = 0; trial < outage.trials; trial++) await suffer(outage, figures);
    const { refused, ...times } = figures;
    const rounded = Object.entries(times).map(([name, ms]) => [name, Math.round(ms)]);
    reportFault(`PostgreSQL ${outage.name}`, {
      trials: outage.trials,
      real: outage.trials,
      refused,
      ...Object.fromEntries(rounded),
    });
  }
  await scene.settle();
  // Every connection to the API was answered.
  expect(scene.restaurant.counts.unanswered).toBe(0);
  const total = outages.reduce((sum, outage) => sum + outage.trials, 0);
  reportFault('PostgreSQL away, all in all', {
    trials: total,
    real: total,
    refused: scene.restaurant.counts.unavailable,
  });
});

async function suffer(
  { leave, awayMs }: Outage,
  figures: { refused: number; slowestMs: number; recoveredMs: number; resumedMs: number },
): Promise<void> {
  // A trial counts because requests, deliveries and a sync job are under way when the server goes.
  await scene.work();
  await leave(server);
  const goneAt = performance.now();
  const answers = () =>
    watcher.seen.filter(({ what, askedAt }) => askedAt > goneAt + (what === 'readyz' ? readinessAgeMs : 0));
  const refusals = (what: Seen['what']) => answers().filter((one) => one.what === what).length;
  await waitFor('the API to answer meanwhile', () =>
    (['api', 'readyz', 'healthz'] as const).every((what) => refusals(what) >= 5),
  );
  await sleep(Math.max(0, awayMs - (performance.now() - goneAt)));
  const away = [...answers()];
  const backFrom = performance.now();
  await server.start();
  const backAt = performance.now();
  const served = () => answers().find(({ what, status }) => what === 'api' && status === 200);
  await waitFor('the API to serve again', served, { timeoutMs: 10_000 });
  expect(served()?.askedAt).toBeGreaterThan(backFrom);
  figures.recoveredMs = Math.max(figures.recoveredMs, performance.now() - backAt);
  const arrived = () =>
    [...scene.consumer.receipts.values()].some(({ arrivals }) => (arrivals.at(-1)?.at ?? 0) > backAt);
  await waitFor('the worker to deliver again', arrived, { timeoutMs: 60_000 });
  figures.resumedMs = Math.max(figures.resumedMs, performance.now() - backAt);
  expectRefusals(away);
  figures.refused += away.length;
  figures.slowestMs = Math.max(figures.slowestMs, ...away.map(({ tookMs }) => tookMs));
  for (const { what, status } of watcher.seen)
    expect(what === 'healthz' ? [200] : [200, 503]).toContain(status);
}

/** /readyz may repeat an answer of the last quarter of a second. */
const readinessAgeMs = 300;

function expectRefusals(away: readonly Seen[]): void {
  for (const { what, status, tookMs, answer } of away) {
    expect([what, status]).toEqual([what, what === 'healthz' ? 200 : 503]);
    expect(tookMs).toBeLessThan(fastMs);
    if (what !== 'api') continue;
    expect(answer?.body.error).toMatchObject({ code: 'internal_error' });
    expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(0);
  }
}
