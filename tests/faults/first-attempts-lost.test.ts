import { afterEach, expect, test, vi } from 'vitest';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { useHand } from '../support/by-hand.ts';
import type { TestProcess } from '../support/processes.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { holdPublishing } from '../worker/held-publishing.ts';
import { useSharedKit } from '../worker/kit.ts';

// A worker that publishes claims the first attempts in the same transaction. These tests end it right after its
// commit, before anything was sent: they have no job.

vi.setConfig({ testTimeout: 300_000 });
const kit = useSharedKit();
const hand = useHand(kit);
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

const claimed = async () => (await kit.count('webhook_deliveries where leased_by is not null')) > 0;

const openConsumer = async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  return erp;
};

/** Freezes the workers as one of them has claimed a first attempt. */
async function freezeBeforeSent(...workers: readonly TestProcess[]): Promise<void> {
  await holdPublishing(kit, hand);
  freeze(...workers);
  await hand.sql('commit');
  await waitFor('the commit', claimed);
}

/** The sweeper looks every five seconds; then a job wakes who takes over. */
const takenOverMs = 6_500;

test('killed (-9), another worker of its machine sends them within seconds, once', async () => {
  const erp = await openConsumer();
  const kills = trials(1, 10);
  const workers = await Promise.all([start(), start()]);
  let slowestMs = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    if (kill > 1) workers.push(await start());
    // Either may publish; both are frozen until it is known which does.
    await freezeBeforeSent(...workers);
    const [holder] = await kit.sql<{ pid: number }>`
      select h.pid from webhook_deliveries d join internal.process_heartbeats h on h.id = d.leased_by`;
    const at = workers.findIndex(({ pid }) => pid === holder?.pid);
    const [dead] = workers.splice(at, 1);
    expect(erp.received).toHaveLength(kill - 1);
    const killedAt = performance.now();
    await killFrozen(dead);
    thaw(...workers);
    await waitFor('its arrival', () => erp.received.length === kill, { timeoutMs: 30_000, intervalMs: 10 });
    slowestMs = Math.max(slowestMs, performance.now() - killedAt);
    await waitFor('its record', async () => !(await claimed()));
  }
  for (const worker of workers) expect((await worker.stop()).code).toBe(0);
  expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(kills);
  expect(erp.received).toHaveLength(kills);
  expect(slowestMs).toBeLessThan(takenOverMs);
  reportFault('worker killed (-9) between publication and first attempt', {
    trials: kills,
    real: kills,
    'slowest recovery ms': Math.round(slowestMs),
  });
});

test('killed (-9) with no other there, the next one sends them as it starts', async () => {
  const erp = await openConsumer();
  const worker = await start();
  await freezeBeforeSent(worker);
  await killFrozen(worker);
  const next = await start();
  await waitFor('its arrival', () => erp.received.length > 0, { timeoutMs: 3_000, intervalMs: 10 });
  await kit.settled('delivered');
  expect((await next.stop()).code).toBe(0);
  expect(erp.received).toHaveLength(1);
});

test('frozen, another one sends them once its silence is noticed, and it sends nothing when it goes on', async () => {
  const erp = await openConsumer();
  const worker = await start();
  await freezeBeforeSent(worker);
  const other = await stepWorker(kit);
  const sweepAfter = async (silentMs: number) => {
    await kit.sql`
      update internal.process_heartbeats set seen_at = now() - make_interval(secs => ${silentMs / 1_000}) where pid = ${worker.pid}`;
    await sweep(kit.database, other.id);
    await other.turn();
  };
  // It may live: nothing is taken from it before.
  await sweepAfter(heartbeats.deadMs - 1_000);
  expect(erp.received).toHaveLength(0);
  await sweepAfter(heartbeats.deadMs + 1_000);
  expect(erp.received).toHaveLength(1);
  thaw(worker);
  expect((await worker.stop()).code).toBe(0);
  expect(erp.received).toHaveLength(1);
  expect(await kit.sql('select attempts, status from webhook_deliveries')).toEqual([
    { attempts: 1, status: 'delivered' },
  ]);
});
