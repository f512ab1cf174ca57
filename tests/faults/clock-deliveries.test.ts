import { verifyWebhook } from '@comanda/client/webhooks';
import { startHeartbeat } from '@comanda/db';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { sweep, sweepAs } from '../../packages/worker/src/sweeper.ts';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { createMovedClock, type MovedClock } from '../support/moved-clock.ts';
import { recordLog } from '../support/recorded-log.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from '../worker/kit.ts';
import { type DatabaseClock, putClock } from './clock/database-clock.ts';
import { movedClock } from './clock/moved-process.ts';

const kit = useSharedKit();
let clock: DatabaseClock;
let erp: RecordingConsumer;
let answers: (() => void)[];
let holding: boolean;
beforeAll(async () => {
  clock = await putClock(kit.url);
  await waitFor('a connection', () => kit.sql('select 1'));
});
beforeEach(async () => {
  await clock.set(new Date().toISOString());
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

/** The delivery, of which so many attempts are recorded. */
async function recorded(attempts: number) {
  const [row] = await kit.sql<{ attempts: number; status: string; due: Date | null }>`
    select attempts, status, next_attempt_at as due from webhook_deliveries`;
  if (row?.attempts !== attempts) throw new Error(`${row?.attempts} attempts are recorded, not ${attempts}`);
  return { ...row, dueMs: row.due?.getTime() ?? 0 };
}

/** Time passes, for the database and for these clocks. */
async function pass(ms: number, ...clocks: readonly MovedClock[]) {
  await clock.move(ms / 1_000);
  for (const each of clocks) each.advance(ms);
}

/** Whether the last beat is of this second. */
const isFresh = async (id: string) =>
  (await kit.count(`internal.process_heartbeats where id = '${id}' and seen_at > now() - interval '1 s'`)) ===
  1;

const attempts = () =>
  kit.sql<{ attempt: number; began: number; ended: number }>`
    select attempt, extract(epoch from attempted_at)::float8 as began,
      extract(epoch from attempted_at + duration_ms * interval '1 ms')::float8 as ended
    from webhook_attempts order by attempt`;

describe('the clock of the database moves by an hour', () => {
  test('an attempt that is on its way when it moves forward is not sent a second time (bug: claims ran out)', async () => {
    const { log, lines } = recordLog('warn');
    const settings = { log, webhookTimeoutMs: 30_000 };
    const workers = [await stepWorker(kit, settings), await stepWorker(kit, settings)];
    // Only a worker whose own beats have come for a while judges others: then the trial is a real one.
    const clocks = workers.map((worker) => worker.clock);
    for (let beat = 0; beat < 5; beat += 1) {
      await pass(heartbeats.everyMs, ...clocks);
      for (const worker of workers) await worker.turn();
    }
    holding = true;
    await change();
    await workers[0]?.begin();
    await erp.arrived(1);
    await clock.move(3_600);
    // Loops look every second, the sweeper and the heartbeats every 5 s.
    for (let second = 0; second < 15; second += 1) {
      await pass(1_000, ...clocks);
      for (const worker of workers) await worker.begin();
    }
    expect(erp.received).toHaveLength(1);
    for (const answer of answers) answer();
    for (const worker of workers) await worker.turn();
    const { dueMs } = await recorded(1);
    const [first] = await attempts();
    expect(dueMs / 1_000 - (first?.ended ?? 0)).toBeCloseTo(60, 0);
    expect(lines.filter(({ msg }) => msg.includes('interrupted'))).toEqual([]);
    reportFault('clock forward in mid-attempt', { trials: 1, real: 1, sent: erp.received.length });
  });

  test('no retry comes early, none twice, five are made, and dead stays dead', async () => {
    const worker = await stepWorker(kit);
    await change();
    await worker.turn();
    const delays = [60, 300, 900, 3_600];
    for (const [index, delay] of delays.entries()) {
      const { dueMs } = await recorded(index + 1);
      expect(dueMs - (await clock.now()).getTime()).toBeGreaterThan((delay - 30) * 1_000);
      // Back by an hour nothing comes; forward again, to half a minute before the time, nothing comes either.
      await clock.move(-3_600);
      expect(await worker.turn()).toBe(0);
      await clock.move(3_600);
      await clock.set(new Date(dueMs - 30_000).toISOString());
      expect(await worker.turn()).toBe(0);
      expect(erp.received).toHaveLength(index + 1);
      await clock.set(new Date(dueMs + 1).toISOString());
      await worker.turn();
    }
    expect((await recorded(5)).status).toBe('dead');
    await clock.move(3_600);
    expect(await worker.turn()).toBe(0);
    expect(erp.received).toHaveLength(5);
    const made = await attempts();
    for (const [index, delay] of delays.entries())
      expect((made[index + 1]?.began ?? 0) - (made[index]?.ended ?? 0)).toBeGreaterThanOrEqual(delay - 0.01);
    reportFault('clock moved between attempts', { trials: 4, real: 4, sent: erp.received.length });
  });

  test('a worker is not taken for dead by a clock that has jumped (bug: it was, for one beat)', async () => {
    const judgeClock = createMovedClock();
    const judge = await startHeartbeat(kit.database, 'worker', { clock: judgeClock });
    for (let beat = 1; beat <= 5; beat += 1) {
      await pass(heartbeats.everyMs, judgeClock);
      await waitFor('its beat', () => judge.steadyMs() >= beat * heartbeats.everyMs && isFresh(judge.id));
    }
    expect(judge.steadyMs()).toBeGreaterThan(heartbeats.deadMs);
    holding = true;
    const worker = await stepWorker(kit);
    await change();
    await worker.begin();
    await erp.arrived(1);
    const held = () => kit.sql<{ by: string }>('select leased_by as by from webhook_deliveries');
    expect(await held()).toEqual([{ by: worker.id }]);
    await clock.move(3_600);
    // Before the judge has beaten again its own beat looks an hour old, like those of all others.
    expect(await sweep(kit.database, judge.id)).toMatchObject({ claims: 0 });
    await pass(heartbeats.everyMs, judgeClock);
    await waitFor('the judge to have seen the jump', () => judge.steadyMs() < heartbeats.everyMs);
    await sweepAs(kit.database, judge);
    expect(await held()).toEqual([{ by: worker.id }]);
    for (const answer of answers) answer();
    await worker.turn();
    await recorded(1);
    await judge.stop();
  });

  test('what a worker held that died before the clock was set back is freed', async () => {
    const judge = await startHeartbeat(kit.database, 'worker');
    const worker = await stepWorker(kit);
    await change();
    await worker.turn();
    await recorded(1);
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
    const { dueMs } = await waitFor('its record', () => recorded(1));
    const leftMs = dueMs - (await clock.now()).getTime();
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect(leftMs).toBeGreaterThan(0);
  },
);
