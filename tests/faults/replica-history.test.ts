import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { openDatabase, type Queryable } from '@comanda/db';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { createFreshness } from '../../packages/api/src/replica/freshness.ts';
import { waitFor } from '../support/wait.ts';
import { type ReplicaScene, setReplicaScene } from './postgres/replica-scene.ts';
import type { OwnServer } from './postgres/server.ts';

// The primary is restored from a copy of its files: its old standby has the same cluster, database and timeline, and
// commits that the primary never made.

vi.setConfig({ testTimeout: 90_000 });

let scene: ReplicaScene;
let lost: string;
beforeAll(async () => {
  scene = await setReplicaScene();
  const { primary, sql, standby } = scene;
  await scene.replicaAnswers();
  await primary.stop();
  const copy = `${primary.instance.cluster}.copy`;
  copyFiles(primary.instance.cluster, copy);
  await primary.start();
  const { shownBy } = await waitFor('a write', () => scene.write(scene.plain));
  lost = Object.keys(shownBy).find((route) => route.startsWith('GET /v2/products?sku=')) ?? '';
  await advance(primary, 4);
  const [end] = await sql<{ at: string }>(primary, 'select pg_current_wal_flush_lsn()::text as at');
  await waitFor('the standby to have it all', async () => {
    const [row] = await sql<{ has: boolean }>(
      standby,
      `select pg_last_wal_replay_lsn() >= '${end?.at}'::pg_lsn as has`,
    );
    return row?.has;
  });
  await primary.stop();
  rmSync(primary.instance.cluster, { recursive: true, force: true });
  copyFiles(copy, primary.instance.cluster);
  await primary.start();
}, 240_000);
afterAll(() => scene?.close(), 60_000);

function copyFiles(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the copy failed: ${stderr}`);
}

/** Writes that many MiB of log. */
const advance = (server: OwnServer, megabytes: number) =>
  scene.sql(
    server,
    `select pg_logical_emit_message(false, 'test', repeat('x', 1048576)) from generate_series(1, ${megabytes})`,
  );

test('events, 4: a standby that is ahead of its restored primary is never read from', async () => {
  const { rest, reading, plain, counts } = scene;
  const before = await waitFor('the API to be back', async () => {
    const found = await rest(reading, lost);
    return found.status === 200 && counts();
  });
  const routes = () => [lost, 'GET /v2/products', 'GET /v2/orders'];
  const compare = async (route: string) =>
    expect([route, (await rest(reading, route)).text]).toEqual([route, (await rest(plain, route)).text]);
  for (let turn = 0; turn < 12; turn += 1) {
    for (const route of routes()) await compare(route);
    const { shownBy } = await scene.write(plain);
    for (const [route, id] of Object.entries(shownBy))
      expect([route, (await rest(reading, route)).text.includes(id)]).toEqual([route, true]);
    // Long enough for it to be looked at again.
    if (turn % 4 === 3) await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  const after = await counts();
  expect(after.replica).toBe(before.replica);
  expect(after.unsuitable ?? 0).toBeGreaterThan(before.unsuitable ?? 0);
  expect(JSON.parse((await rest(reading, lost)).text)).toMatchObject({ data: [] });
});

test('events, 4: the metric and the doctor say that a standby is ahead', async () => {
  const { primary, standby, reading } = scene;
  const metrics = await (await fetch(`${reading.url}/metrics`)).text();
  const [, lag] = /^comanda_replica_lag_bytes (\S+)$/m.exec(metrics) ?? [];
  expect(Number(lag)).toBeLessThan(0);
  const { checks } = await diagnose({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url });
  expect(checks.find(({ name }) => name === 'replica')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringMatching(/^it is ahead of the primary, so it has another history/),
  });
});

test('events, 4: a standby that the primary passes while it is looked at still has another history, and is not taken', async () => {
  const { primary, standby } = scene;
  const [database, replica] = [primary, standby].map(({ url }) => openDatabase({ url, poolSize: 2 }));
  if (database === undefined || replica === undefined) throw new Error('two were opened');
  const [late] = await scene.sql<{ at: string }>(
    standby,
    'select max(seen_at)::text as at from internal.process_heartbeats',
  );
  await waitFor('a beat of after the restore', async () => {
    const [row] = await scene.sql<{ later: boolean }>(
      primary,
      `select max(seen_at) > '${late?.at}' as later from internal.process_heartbeats`,
    );
    return row?.later;
  });
  const [ahead] = await scene.sql<{ at: string }>(standby, 'select pg_last_wal_replay_lsn()::text as at');
  const pass = async () => {
    const beyond = `select pg_current_wal_lsn() > '${ahead?.at}'::pg_lsn as beyond`;
    while ((await scene.sql<{ beyond: boolean }>(primary, beyond))[0]?.beyond !== true)
      await advance(primary, 8);
  };
  let passed = false;
  // It is passed between the two questions how far the primary is.
  const passing: Queryable = {
    async run(question, values) {
      const rows = await database.run(question, values);
      if (question.name === 'read_written_position' && !passed) {
        passed = true;
        await pass();
      }
      return rows;
    },
  };
  const found = createFreshness(passing, replica).verify();
  await expect(found).rejects.toMatchObject({
    reason: 'unsuitable',
    message: expect.stringMatching(/^it lacks what the primary had committed by then/),
  });
  expect(passed).toBe(true);
  await Promise.all([database.close(), replica.close()]);
});
