import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '@comanda/client/webhooks';
import { startHeartbeat } from '@comanda/db';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { reportFault, thorough } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { type DatabaseClock, putClock } from './clock/database-clock.ts';
import { movedClock } from './clock/moved-process.ts';

// Processes are started here, on machines that are busy.
vi.setConfig({ testTimeout: 180_000 });

const kit = useWorkerKit({ lifetime: 'test' });
let clock: DatabaseClock;
let erp: RecordingConsumer;
let answers: (() => void)[];
let holding: boolean;
beforeEach(async () => {
  clock = await putClock(kit.url);
  await waitFor('a connection', () => kit.sql('select 1'));
  answers = [];
  holding = false;
  erp = await startConsumer((_, response) => {
    const answer = () => response.writeHead(500).end();
    if (holding) answers.push(answer);
    else answer();
  });
});
afterEach(async () => {
  await erp.close();
});

const change = async () => {
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
};

const recorded = (attempts: number) =>
  waitFor(`attempt ${attempts} to be recorded`, async () => {
    const [row] = await kit.sql<{ attempts: number; status: string; due: Date | null }>`
      select attempts, status, next_attempt_at as due from webhook_deliveries`;
    return row?.attempts === attempts && row;
  });

const attempts = () =>
  kit.sql<{ attempt: number; began: number; ended: number }>`
    select attempt, extract(epoch from attempted_at)::float8 as began,
      extract(epoch from attempted_at + duration_ms * interval '1 ms')::float8 as ended
    from webhook_attempts order by attempt`;

describe('the clock of the database moves by an hour', () => {
  test('an attempt that is on its way when it moves forward is not sent a second time (bug: claims ran out)', async () => {
    const workers = [await kit.startProcess(), await kit.startProcess()];
    // Only a worker whose own beats have come for a while judges others: then the trial is a real one.
    if (thorough) await sleep(21_000);
    holding = true;
    await change();
    await waitFor('the attempt', () => erp.received.length === 1);
    await clock.move(3_600);
    // Loops look every second, the sweeper and the heartbeats every 5 s.
    await sleep(thorough ? 15_000 : 7_000);
    expect(erp.received).toHaveLength(1);
    for (const answer of answers) answer();
    const { due } = await recorded(1);
    const [first] = await attempts();
    expect((due?.getTime() ?? 0) / 1_000 - (first?.ended ?? 0)).toBeCloseTo(60, 0);
    expect(workers.map(({ output }) => output()).join('')).not.toContain('interrupted');
    reportFault('clock forward in mid-attempt', { trials: 1, real: 1, sent: erp.received.length });
  });

  test('no retry comes early, none twice, five are made, and dead stays dead', async () => {
    await kit.startProcess();
    await change();
    const delays = [60, 300, 900, 3_600];
    let checked = 0;
    for (const [index, delay] of delays.entries()) {
      const { due } = await recorded(index + 1);
      const left = (due?.getTime() ?? 0) - (await clock.now()).getTime();
      expect(left).toBeGreaterThan((delay - 30) * 1_000);
      // Back by an hour nothing comes; forward again, to just before the time, nothing comes either.
      await clock.move(-3_600);
      await sleep(1_200);
      expect(erp.received).toHaveLength(index + 1);
      await clock.move(3_600);
      const before = new Date((due?.getTime() ?? 0) - 10_000);
      await clock.set(before.toISOString());
      await sleep(2_200);
      if ((await clock.now()).getTime() < (due?.getTime() ?? 0)) {
        expect(erp.received).toHaveLength(index + 1);
        checked += 1;
      }
      await clock.set(new Date((due?.getTime() ?? 0) + 1).toISOString());
    }
    expect((await recorded(5)).status).toBe('dead');
    await clock.move(3_600);
    await sleep(2_200);
    expect(erp.received).toHaveLength(5);
    const made = await attempts();
    for (const [index, delay] of delays.entries())
      expect((made[index + 1]?.began ?? 0) - (made[index]?.ended ?? 0)).toBeGreaterThanOrEqual(delay - 0.01);
    expect(checked).toBeGreaterThanOrEqual(3);
    reportFault('clock moved between attempts', { trials: 4, real: checked, sent: erp.received.length });
  });

  test('a worker is not taken for dead by a clock that has jumped (bug: it was, for one beat)', async () => {
    const [judge, other] = [
      await startHeartbeat(kit.database, 'worker'),
      await startHeartbeat(kit.database, 'worker'),
    ];
    holding = true;
    const worker = await kit.startWorker();
    await change();
    await waitFor('the attempt', () => erp.received.length === 1);
    const held = () => kit.sql<{ by: string }>('select leased_by as by from webhook_deliveries');
    expect(await held()).toEqual([{ by: worker.id }]);
    await clock.move(3_600);
    // Before the judge has beaten again its own beat looks an hour old, like those of all others.
    expect(await sweep(kit.database, judge.id)).toMatchObject({ claims: 0 });
    let steady = judge.steadyMs();
    await waitFor('the judge to have seen the jump', () => {
      const before = steady;
      steady = judge.steadyMs();
      return steady < before;
    });
    expect(await held()).toEqual([{ by: worker.id }]);
    for (const answer of answers) answer();
    await recorded(1);
    await Promise.all([judge.stop(), other.stop()]);
  });

  test('what a worker held that died before the clock was set back is freed', async () => {
    const judge = await startHeartbeat(kit.database, 'worker');
    // Its one attempt fails, and the next is far away: however late it is looked at, it is one.
    const worker = await kit.startWorker({ webhookRetryDelaysSeconds: [3_600, 3_600, 3_600, 3_600] });
    await change();
    await recorded(1);
    await worker.stop();
    await kit.sql`
      insert into internal.process_heartbeats (id, kind, host, pid) values ('dead', 'worker', 'gone', 1)`;
    await kit.sql`update webhook_deliveries set leased_by = 'dead', leased_until = now() + interval '30 s',
      next_attempt_at = now() - interval '2 hours'`;
    await clock.move(-3_600);
    await kit.sql('update internal.process_heartbeats set seen_at = now() where id = $1', [judge.id]);
    expect(await sweep(kit.database, judge.id)).toMatchObject({ claims: 1 });
    await judge.stop();
  });
});

test.each([
  ['ahead of', 3_600],
  ['behind', -3_600],
])(
  'a worker whose clock is an hour %s the database signs with the time of the database',
  async (_, seconds) => {
    const { secret } = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    await kit.startProcess(movedClock(seconds));
    await createProduct(kit.database, { locationId: kit.locationId });
    const received = await waitFor('the attempt', () => erp.received[0]);
    // The consumer's clock is right, and it refuses what is five minutes off.
    const event = await verifyWebhook(secret, received.headers, received.text);
    expect(event.type).toBe('product.created');
    const { due } = await recorded(1);
    expect((due?.getTime() ?? 0) - (await clock.now()).getTime()).toBeLessThanOrEqual(60_000);
    expect((due?.getTime() ?? 0) - (await clock.now()).getTime()).toBeGreaterThan(0);
  },
);
