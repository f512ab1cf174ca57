import { heartbeats, openDatabase, startHeartbeat } from '@comanda/db';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { useDatabase, useTestDatabase } from '../support/database.ts';

const testDatabase = useTestDatabase();
const database = useDatabase(testDatabase);

beforeEach(() => database.pool.query('delete from internal.process_heartbeats'));

describe('a heartbeat', () => {
  test('puts the process on the list and takes it off when it stops', async () => {
    const heartbeat = await startHeartbeat(database, 'api');
    expect(await rows()).toEqual([{ id: heartbeat.id, kind: 'api', pid: process.pid, alive: true }]);
    await heartbeat.stop();
    await heartbeat.stop();
    expect(await rows()).toEqual([]);
  });

  test('says with its second beat how far the clock of its machine is from the database', async () => {
    const now = vi
      .spyOn(Date, 'now')
      .mockImplementation(() => performance.timeOrigin + performance.now() + 7_200_000);
    const heartbeat = await startHeartbeat(database, 'api', { paused: true });
    const said = async () =>
      (
        await database.pool.query<{ ms: number | null; paused: boolean }>(
          'select clock_skew_ms as ms, deliveries_paused as paused from internal.process_heartbeats',
        )
      ).rows[0];
    expect(await said()).toEqual({ ms: null, paused: true });
    await heartbeat.add('pool-1', 'worker_pool');
    now.mockRestore();
    const { ms = 0 } = (await said()) ?? {};
    expect(Math.round((ms ?? 0) / 60_000)).toBe(-120);
    await heartbeat.stop();
  });

  test('beats for what was added, until it is removed', async () => {
    const heartbeat = await startHeartbeat(database, 'worker');
    await heartbeat.add('pool-1', 'worker_pool');
    await heartbeat.add('pool-2', 'worker_pool');
    expect((await rows()).map(({ id }) => id).toSorted()).toEqual(
      [heartbeat.id, 'pool-1', 'pool-2'].toSorted(),
    );
    await heartbeat.remove('pool-1');
    expect((await rows()).map(({ id }) => id)).not.toContain('pool-1');
    await heartbeat.stop();
    expect(await rows()).toEqual([]);
  });

  test('brings a row back to life that had gone stale', async () => {
    const heartbeat = await startHeartbeat(database, 'worker');
    await database.pool.query(`update internal.process_heartbeats set seen_at = now() - interval '1 minute'`);
    expect(await rows()).toMatchObject([{ alive: false }]);
    await heartbeat.add('pool', 'worker_pool');
    expect(await rows()).toMatchObject([{ alive: true }, { alive: true }]);
    await heartbeat.stop();
  });

  test('grows steady with time', async () => {
    const heartbeat = await startHeartbeat(database, 'worker');
    const before = heartbeat.steadyMs();
    await rows();
    expect(heartbeat.steadyMs()).toBeGreaterThan(before);
    expect(heartbeat.steadyMs()).toBeLessThan(heartbeats.goneMs);
    await heartbeat.stop();
  });

  test('does not start where it cannot be recorded', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nowhere' });
    await expect(startHeartbeat(away, 'worker')).rejects.toThrow();
    await away.close();
  });
});

async function rows(): Promise<{ id: string; kind: string; pid: number; alive: boolean }[]> {
  const result = await database.pool.query(
    `select id, kind, pid, seen_at > now() - make_interval(secs => $1) as alive from internal.process_heartbeats order by kind`,
    [heartbeats.goneMs / 1_000],
  );
  return result.rows;
}
