import { expect, onTestFinished, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { reportFault, trials } from '../support/trials.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { startProxy } from '../worker/proxy.ts';
import { setScene } from './postgres/scene.ts';
import { watchApi } from './postgres/watcher.ts';

// Noticed after 2 s, made sure of within 3 s, and looked at every half second; a read may take three statements.
const boundMs = 15_000;

const database = useTestDatabase();
const proxy = useClosed(() => startProxy(database.url));

const ways: readonly [name: string, mend: () => void][] = [
  ['and come through again', () => proxy.mend()],
  [
    'for good, and new connections are let through',
    () => {
      proxy.cut();
      proxy.mend();
    },
  ],
];

test('packets to PostgreSQL vanish and come through again, or for good: answers stay bounded, all goes on', {
  timeout: 900_000,
}, async () => {
  const scene = await setScene(database.url, { through: proxy.url });
  const watcher = watchApi(scene.apiUrl, scene.key);
  onTestFinished(async () => {
    proxy.mend();
    await watcher.stop();
    await scene.close();
  });
  const count = trials(1, 5);
  for (const [name, mend] of ways) {
    let [slowestMs, recoveredMs, refused] = [0, 0, 0];
    for (let trial = 0; trial < count; trial++) {
      await scene.work();
      proxy.swallow('everything');
      const from = performance.now();
      const since = () => watcher.seen.filter(({ askedAt }) => askedAt > from);
      // The first wait until the pool has made sure; then refusals come at once, one after the other.
      await waitFor(
        'refusals at once',
        () => since().filter((one) => one.status === 503 && one.tookMs < 1_000).length > 20,
        { timeoutMs: 60_000 },
      );
      refused += since().length;
      const mendedFrom = performance.now();
      mend();
      const served = () =>
        since().some((one) => one.what === 'api' && one.status === 200 && one.askedAt > mendedFrom);
      await waitFor('the API to serve again', served, { timeoutMs: 10_000 });
      recoveredMs = Math.max(recoveredMs, performance.now() - mendedFrom);
      const arrived = () =>
        [...scene.consumer.receipts.values()].some(({ arrivals }) => (arrivals.at(-1)?.at ?? 0) > mendedFrom);
      await waitFor('the worker to deliver again', arrived, { timeoutMs: 60_000 });
      slowestMs = Math.max(slowestMs, ...since().map(({ tookMs }) => tookMs));
      expect(slowestMs).toBeLessThan(boundMs);
    }
    reportFault(`packets to PostgreSQL vanish ${name}`, {
      trials: count,
      real: count,
      refused,
      slowestMs: Math.round(slowestMs),
      recoveredMs: Math.round(recoveredMs),
    });
  }
  for (const { what, status } of watcher.seen)
    expect(what === 'healthz' ? [200] : [200, 503]).toContain(status);
  await scene.settle();
  expect(scene.restaurant.counts.unanswered).toBe(0);
});
