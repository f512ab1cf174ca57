import { createNotifications, type Database, type Notifications, openDatabase } from '@comanda/db';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../packages/api/src/credentials/credentials.ts';
import { ApiError } from '../../packages/api/src/errors.ts';
import { createLimiter, type Limiter } from '../../packages/api/src/limits/limiter.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { admitMany, callerWith, usedBy } from '../support/limits.ts';
import { waitFor } from '../support/wait.ts';

// Each member has its own pool, its own listening connection and its own place on the list of processes.
type Member = ReturnType<typeof memberOf>;

const testDatabase = useTestDatabase();
const database = useDatabase(testDatabase);
let members: Member[] = [];
const noon = Date.parse('2027-03-10T12:00:00Z');
let now = noon;

afterEach(async () => {
  await Promise.all(members.map((member) => member.stop()));
  members = [];
  now = noon;
});

describe('several processes', () => {
  test.each([
    { processes: 2, limit: 600 },
    { processes: 3, limit: 250 },
    { processes: 2, limit: 5 },
  ])(
    '$processes together admit $limit of many simultaneous requests, never one more',
    async ({ processes, limit }) => {
      const limiters = await join(processes);
      const caller = callerWith({ perMinute: limit });
      const outcomes = await Promise.all(limiters.map((limiter) => outcomesOf(limiter, caller, 2 * limit)));
      // Each went on until it was refused, so no process holds any part back.
      expect(outcomes.flat().filter(Boolean).length).toBe(limit);
      expect(await usedBy(database, caller)).toMatchObject({ minute: limit });
    },
  );

  test.each([600, 250, 50])(
    'of a limit of %i, an idle one keeps at most 1 %% from another',
    async (limit) => {
      const [idle, busy] = await join(2);
      const caller = callerWith({ perMinute: limit });
      await idle.admit(caller);
      const admitted = 1 + count(await outcomesOf(busy, caller, 2 * limit));
      expect(admitted).toBeLessThanOrEqual(limit);
      expect(admitted).toBeGreaterThanOrEqual(limit - Math.ceil(limit / 100));
      // And what it keeps, it can use.
      const rest = count(await outcomesOf(idle, caller, limit));
      expect(admitted + rest).toBe(limit);
    },
  );

  test('keep at most 1 % of the month from each other, too', async () => {
    const [idle, busy] = await join(2);
    const caller = callerWith({ perMinute: 10_000, monthly: 400 });
    await idle.admit(caller);
    const admitted = 1 + count(await outcomesOf(busy, caller, 800));
    expect(admitted).toBeLessThanOrEqual(400);
    expect(admitted).toBeGreaterThanOrEqual(396);
  });

  test('say what is left, less what others hold, and never 0 before', async () => {
    const limiters = await join(2);
    const caller = callerWith({ perMinute: 300 });
    let admitted = 0;
    // Runs of changing length, so that either holds something while the other goes on; a second later each looks again.
    const run = async (limiter: Limiter, length: number): Promise<boolean> => {
      now += 1_000;
      for (let index = 0; index <= length; index += 1) {
        const [answer] = await admitMany(limiter, caller, 1);
        if (answer === undefined || answer instanceof ApiError) return false;
        admitted += 1;
        const remaining = Number(answer['X-RateLimit-Remaining']);
        expect(remaining).toBeLessThanOrEqual(300 - admitted);
        expect(remaining).toBeGreaterThanOrEqual(300 - admitted - 3);
      }
      return true;
    };
    for (let turn = 0; await run(limiters[turn % 2] ?? limiters[0], (turn * 7) % 13); turn += 1);
    expect(admitted).toBeGreaterThanOrEqual(297);
    for (const limiter of limiters) admitted += count(await outcomesOf(limiter, caller, 10));
    expect(admitted).toBe(300);
  });

  test('say too much by what others leased within a second at most, and look again in the next', async () => {
    const [one, other] = await join(2);
    const caller = callerWith({ perMinute: 600 });
    const remaining = async () => Number((await one.admit(caller))['X-RateLimit-Remaining']);
    expect(await remaining()).toBe(599);
    expect(count(await outcomesOf(other, caller, 100))).toBe(100);
    expect(await remaining()).toBe(598);
    now += 1_000;
    const after = await remaining();
    expect(after).toBeLessThanOrEqual(497);
    expect(after).toBeGreaterThanOrEqual(497 - 6);
  });

  test('count the batch jobs of an hour together', async () => {
    const limiters = await join(2);
    const caller = callerWith({ batchJobsPerHour: 30 });
    const starts = limiters.flatMap((limiter) =>
      Array.from({ length: 40 }, () => limiter.startBatch(caller)),
    );
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(30);
  });
});

describe('a process that comes', () => {
  test('finds at most 1 % in the hands of another, which looks at the counters again', async () => {
    const [first] = await join(1);
    const caller = callerWith({ perMinute: 20_000, monthly: 10_000 });
    const remaining = async () => Number((await first.admit(caller))['X-RateLimit-Remaining']);
    expect(await remaining()).toBe(9_999);
    expect(await usedBy(database, caller)).toEqual({ minute: 100, month: 100 });
    const [second] = await join(1);
    let own = 1;
    const looksAgain = async () => {
      now += 1_000;
      own += 1;
      await remaining();
      return (await usedBy(database, caller)).minute !== 100;
    };
    await waitFor('the first to hear of it', looksAgain, { intervalMs: 200 });
    const admitted = own + count(await outcomesOf(second, caller, 11_000));
    expect(admitted).toBeLessThanOrEqual(10_000);
    expect(admitted).toBeGreaterThanOrEqual(9_900);
  });

  test('is not counted before it is there nor after it is gone', async () => {
    const [first] = await join(1);
    await join(1);
    await members.at(-1)?.stop();
    const caller = callerWith({ perMinute: 600 });
    expect((await first.admit(caller))['X-RateLimit-Remaining']).toBe('599');
  });

  test('does not count once it has been silent for long', async () => {
    await database.pool.query(
      `insert into internal.process_heartbeats (id, kind, host, pid, seen_at)
       values ('crashed', 'api', 'elsewhere', 1, now() - interval '20 seconds'), ('worker', 'worker', 'here', 2, now())`,
    );
    const [only] = await join(1);
    expect((await only.admit(callerWith({ perMinute: 600 })))['X-RateLimit-Remaining']).toBe('599');
  });
});

// Limiters of as many more members, each of which is registered and listens.
async function join(processes: 1): Promise<[Limiter]>;
async function join(processes: 2): Promise<[Limiter, Limiter]>;
async function join(processes: number): Promise<[Limiter, ...Limiter[]]>;
async function join(processes: number): Promise<Limiter[]> {
  const before = await registered();
  const joined = Array.from({ length: processes }, () => {
    const own = openDatabase({ url: testDatabase.url, poolSize: 4 });
    const notifications = createNotifications(testDatabase.url);
    // A clock that the test moves: no minute ends while requests are counted.
    const limiter = createLimiter(own, { notifications, clock: { now: () => now } });
    members.push(memberOf(limiter, notifications, own));
    return { limiter, notifications };
  });
  await waitFor('every process to be registered', async () => (await registered()) === before + processes);
  await waitFor('all to listen', () => joined.every(({ notifications }) => notifications.healthy()));
  return joined.map(({ limiter }) => limiter);
}

function memberOf(limiter: Limiter, notifications: Notifications, own: Database) {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await limiter.close();
    await notifications.close();
    await own.close();
  };
  return {
    limiter,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function registered(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from internal.process_heartbeats where kind = 'api' and id <> 'crashed'`,
  );
  return rows[0]?.count ?? 0;
}

/** Whether each of so many simultaneous requests was admitted. */
const outcomesOf = async (limiter: Limiter, caller: Caller, requests: number): Promise<boolean[]> =>
  (await admitMany(limiter, caller, requests)).map((answer) => !(answer instanceof ApiError));

const count = (outcomes: boolean[]): number => outcomes.filter(Boolean).length;
