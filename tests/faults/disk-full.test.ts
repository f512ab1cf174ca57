import { spawnSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { type Answer, callRest } from '../support/api.ts';
import { runOnce, urlOfDatabase } from '../support/server.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Scene, setScene } from './postgres/scene.ts';
import { type SmallDisk, startOnSmallDisk } from './postgres/small-disk.ts';
import { watchApi } from './postgres/watcher.ts';

let disk: SmallDisk;
let scene: Scene | undefined;

afterEach(async () => {
  try {
    disk.free();
    await disk.server.start();
    await scene?.close();
  } finally {
    scene = undefined;
    await disk.remove();
  }
}, 120_000);

interface Written {
  data: { id: string };
  error?: unknown;
}

async function writeOne({ apiUrl, key, restaurant }: Scene): Promise<Answer<Written>> {
  // Long enough that no page has room for many.
  const body = { name: 'Soup', description: 'x'.repeat(1_800), price: 4 };
  const answer = await callRest<Written>(apiUrl, 'POST /v2/products', { key, body });
  if (answer.status === 201) restaurant.model.note('product.created', answer.body.data.id);
  return answer;
}

test('the disk of the data is full, then freed: clear refusals, reads go on, nothing acknowledged is lost', {
  timeout: 900_000,
}, async () => {
  disk = await startOnSmallDisk(96);
  const { server } = disk;
  const admin = urlOfDatabase(server.url, 'postgres');
  await runOnce(admin, `create tablespace small location '${disk.folder}'`);
  await runOnce(admin, 'alter database comanda set tablespace small');
  const stage = await setScene(server.url);
  scene = stage;
  const count = trials(1, 5);
  let [refused, read] = [0, 0];
  for (let trial = 0; trial < count; trial++) {
    await stage.work();
    disk.fill();
    const refusal = await waitFor('a write to be refused', async () => {
      const answer = await writeOne(stage);
      return answer.status !== 201 && answer;
    });
    const watcher = watchApi(stage.apiUrl, stage.key);
    const unavailable = stage.restaurant.counts.unavailable;
    expect([refusal.status, refusal.body.error]).toMatchObject([
      503,
      { code: 'internal_error', message: 'The service is not available at the moment; try again shortly.' },
    ]);
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    await waitFor('many answers', () =>
      (['api', 'healthz', 'readyz'] as const).every(
        (which) => watcher.seen.filter(({ what }) => what === which).length >= 20,
      ),
    );
    await watcher.stop();
    expect(new Set(watcher.seen.map(({ what, status }) => `${what} ${status}`))).toEqual(
      new Set(['api 200', 'healthz 200', 'readyz 503']),
    );
    const states = watcher.seen
      .filter(({ what }) => what === 'readyz')
      .map(({ answer }) => answer?.body.database);
    expect(new Set(states)).toEqual(new Set(['disk-full']));
    const { text: metrics } = await callRest(stage.apiUrl, 'GET /metrics');
    expect(metrics).toContain('comanda_database_state{state="disk-full"} 1');
    const { checks } = await diagnose({ DATABASE_URL: server.url, ENCRYPTION_KEY: 'k'.repeat(32) });
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'writing',
        outcome: 'wrong',
        found: expect.stringContaining('No space left on device'),
        advice: expect.stringMatching(/^SQLSTATE 53100: a disk of the database server is full/),
      }),
    );
    expect(JSON.stringify(checks)).not.toContain('Free some space: ');
    refused += stage.restaurant.counts.unavailable - unavailable;
    read += watcher.seen.length;
    disk.free();
    const freedAt = performance.now();
    await waitFor('a write to succeed again', async () => (await writeOne(stage)).status === 201, {
      timeoutMs: 10_000,
    });
    const arrived = () =>
      [...stage.consumer.receipts.values()].some(({ arrivals }) => (arrivals.at(-1)?.at ?? 0) > freedAt);
    await waitFor('the worker to deliver again', arrived, { timeoutMs: 60_000 });
    await waitFor('readiness', async () => (await callRest(stage.apiUrl, 'GET /readyz')).status === 200, {
      timeoutMs: 20_000,
    });
  }
  await stage.settle();
  expect(stage.restaurant.counts.unanswered).toBe(0);
  reportFault('the disk of the data full', {
    trials: count,
    real: count,
    refused,
    read,
    disk: disk.means,
  });
});

test('the disk of the log is full and PostgreSQL gives up: after the restart nothing acknowledged is lost', {
  timeout: 900_000,
}, async () => {
  disk = await startOnSmallDisk(128, { settings: { min_wal_size: '32MB', max_wal_size: '32MB' } });
  const { server } = disk;
  await moveLog(disk);
  const stage = await setScene(server.url);
  scene = stage;
  await stage.work();
  disk.fill();
  // More log than is left in the segments that there are.
  const flood = `create table if not exists flood as select repeat('x', 1000) from generate_series(1, 60000)`;
  await expect(runOnce(server.url, flood)).rejects.toThrow();
  const refusal = await waitFor('the API to refuse', async () => {
    const answer = await callRest(stage.apiUrl, 'GET /readyz');
    return answer.status === 503;
  });
  expect(refusal).toBe(true);
  disk.free();
  await server.start();
  await waitFor('a write to succeed again', async () => (await writeOne(stage)).status === 201, {
    timeoutMs: 20_000,
  });
  await stage.settle();
  expect(stage.restaurant.counts.unanswered).toBe(0);
  reportFault('the disk of the log full', {
    trials: 1,
    real: 1,
    refused: stage.restaurant.counts.unavailable,
  });
});

/** The write-ahead log moves to the small disk. */
async function moveLog({ server, folder }: SmallDisk): Promise<void> {
  await server.stop('fast');
  const log = join(server.instance.cluster, 'pg_wal');
  // With their owner, who is not us.
  expect(spawnSync('cp', ['-a', log, folder]).status).toBe(0);
  await rm(log, { recursive: true });
  await symlink(join(folder, 'pg_wal'), log);
  await server.start();
}
