import { expect, test } from 'vitest';
import { createTestDatabase, useTestDatabase } from './support/database.ts';
import { startProcess } from './support/processes.ts';
import { runOnce } from './support/server.ts';
import { sqlAt } from './support/sql.ts';
import { waitFor } from './support/wait.ts';

const database = useTestDatabase();

test('a test database is migrated, holds the job queue and is shared with no other file', async () => {
  const other = await createTestDatabase();
  await runOnce(database.url, 'create table mine (id integer)');
  const rows = await sqlAt(other.url)`
    select to_regclass('orders') is not null as migrated,
           to_regclass('graphile_worker._private_jobs') is not null as queue,
           to_regclass('mine') is null as separate`;
  await other.drop();
  expect(rows).toEqual([{ migrated: true, queue: true, separate: true }]);
  await expect(runOnce(other.url, 'select 1')).rejects.toThrow('does not exist');
});

test('a started process serves at its URL until it is stopped', async () => {
  const api = await startProcess({ entry: 'api', env: { DATABASE_URL: database.url } });
  const health = await fetch(`${api.url}/healthz`);
  expect(health.status).toBe(200);
  await health.text();
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
});

test('a process that ends instead of serving is reported with its words', async () => {
  await expect(startProcess({ entry: 'api', env: {} })).rejects.toThrow(
    /api ended \(exit code 78\) before it served:\n.*DATABASE_URL/s,
  );
});

test('a process that is forgotten is ended after its file', async () => {
  const api = await startProcess({ entry: 'api', env: { DATABASE_URL: database.url } });
  expect(() => process.kill(api.pid, 0)).not.toThrow();
});

test('a wait without success names its subject and the last result', async () => {
  const waiting = waitFor('the moon', () => Promise.reject(new Error('still day')), { timeoutMs: 50 });
  await expect(waiting).rejects.toThrow('waited 50 ms without success for the moon; last: Error: still day');
  expect(await waitFor('an answer', () => 42)).toBe(42);
});
