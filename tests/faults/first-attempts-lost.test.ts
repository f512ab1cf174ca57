import { afterEach, expect, test, vi } from 'vitest';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { useHand } from '../support/by-hand.ts';
import type { RecordingConsumer } from '../support/consumer.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { holdPublishing } from '../worker/held-publishing.ts';
import { useWorkerKit } from '../worker/kit.ts';

// A worker that publishes claims the first attempts in the same transaction. These tests end it right after its
// commit, before anything was sent: they have no job.

vi.setConfig({ testTimeout: 300_000 });
const kit = useWorkerKit({ lifetime: 'test' });
const hand = useHand(kit, { lifetime: 'test' });
const frozen = new Set<number>();
afterEach(() => {
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  frozen.clear();
});

const freeze = (...workers: readonly TestProcess[]) => {
  for (const { pid } of workers) {
    process.kill(pid, 'SIGSTOP');
    frozen.add(pid);
  }
};
const thaw = (...workers: readonly TestProcess[]) => {
  for (const { pid } of workers) if (frozen.delete(pid)) process.kill(pid, 'SIGCONT');
};
const killFrozen = async (worker: TestProcess | undefined) => {
  if (worker === undefined) throw new Error('there is none to kill');
  frozen.delete(worker.pid);
  expect((await worker.stop('SIGKILL')).signal).toBe('SIGKILL');
};

const start = () => kit.startProcess({ LOG_LEVEL: 'warn' });

const claimed = async () => {
  const rows = await kit.sql('select from webhook_deliveries where leased_by is not null');
  return rows.length > 0;
};
const arrived = (erp: RecordingConsumer, count: number, timeoutMs: number) =>
  waitFor(`arrival ${count}`, () => erp.received.length >= count, { timeoutMs, intervalMs: 10 });

/** A worker that was frozen as it had claimed a first attempt for that consumer. */
async function frozenBeforeItSends() {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const worker = await start();
  await holdPublishing(kit, hand);
  freeze(worker);
  await hand.sql('commit');
  await waitFor('the commit', claimed);
  return { erp, worker };
}

/** The sweeper looks every five seconds; then a job wakes who takes over. */
const takenOverMs = 6_500;

test('killed (-9), another worker of its machine sends them within seconds, once', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const kills = trials(2, 10);
  const workers = [await start(), await start()];
  let slowestMs = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    // Either may publish; both are frozen until it is known which does.
    await holdPublishing(kit, hand);
    freeze(...workers);
    await hand.sql('commit');
    await waitFor('the commit', claimed);
    const [holder] = await kit.sql<{ pid: number }>`
      select h.pid from webhook_deliveries d join internal.process_heartbeats h on h.id = d.leased_by`;
    const at = workers.findIndex(({ pid }) => pid === holder?.pid);
    const [dead] = workers.splice(at, 1);
    expect(erp.received).toHaveLength(kill - 1);
    const killedAt = performance.now();
    await killFrozen(dead);
    thaw(...workers);
    await arrived(erp, kill, 30_000);
    slowestMs = Math.max(slowestMs, performance.now() - killedAt);
    await waitFor('its record', async () => !(await claimed()));
    workers.push(await start());
  }
  for (const worker of workers) expect((await worker.stop()).code).toBe(0);
  expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(kills);
  expect(erp.received).toHaveLength(kills);
  expect(slowestMs).toBeLessThan(takenOverMs);
  reportFault('worker killed (-9) between publication and first attempt', {
    ...{ trials: kills, real: kills, 'slowest recovery ms': Math.round(slowestMs) },
  });
});

test('killed (-9) with no other there, the next one sends them as it starts', async () => {
  const { erp, worker } = await frozenBeforeItSends();
  await killFrozen(worker);
  const next = await start();
  await arrived(erp, 1, 3_000);
  await kit.settled('delivered');
  expect((await next.stop()).code).toBe(0);
  expect(erp.received).toHaveLength(1);
});

test('frozen, another one sends them once its silence is noticed, and it sends nothing when it goes on', async () => {
  const { erp, worker } = await frozenBeforeItSends();
  const [beat] = await kit.sql<{ at: Date }>`
    select seen_at as at from internal.process_heartbeats where kind = 'worker'`;
  const other = await start();
  await arrived(erp, 1, 90_000);
  await kit.settled('delivered');
  // It may live: nothing is taken from it before.
  const [attempt] = await kit.sql<{ at: Date }>('select attempted_at as at from webhook_attempts');
  const silentUntil = (beat?.at.getTime() ?? Number.NaN) + heartbeats.deadMs;
  expect(attempt?.at.getTime()).toBeGreaterThanOrEqual(silentUntil);
  thaw(worker);
  expect((await worker.stop()).code).toBe(0);
  expect((await other.stop()).code).toBe(0);
  expect(erp.received).toHaveLength(1);
  expect(await kit.sql('select attempts, status from webhook_deliveries')).toEqual([
    { attempts: 1, status: 'delivered' },
  ]);
});
