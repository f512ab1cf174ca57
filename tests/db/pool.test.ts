import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseSilentError, openPool } from '../../packages/db/src/connection/pool.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { type DatabaseProxy, startProxy } from '../worker/proxy.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createEmptyDatabase();
  proxy = await startProxy(database.url);
});
afterEach(async () => {
  proxy.mend();
  await pool.end();
  await proxy.close();
  await database.drop();
});

const doubt = { suspicionMs: 200, askMs: 2_000, abandonMs: 600_000 };

function open(changes: Partial<typeof doubt> = {}): pg.Pool {
  pool = openPool({ connectionString: proxy.url, max: 4 }, { ...doubt, ...changes });
  pool.on('error', () => {});
  return pool;
}

const silence = expect.objectContaining({ name: 'DatabaseSilentError', code: '08006' });

test('a statement whose answer vanishes is refused, others at once, until the database answers again', async () => {
  open();
  await pool.query('select 1');
  proxy.swallow('everything');
  await expect(pool.query('select 2')).rejects.toEqual(silence);
  expect(pool.totalCount).toBe(0);
  await expect(pool.query('select 3')).rejects.toBeInstanceOf(DatabaseSilentError);
  await new Promise<void>((resolve) => {
    pool.connect((error, client) => {
      expect(error).toEqual(silence);
      expect(client).toBeUndefined();
      resolve();
    });
  });
  proxy.mend();
  const { rows } = await waitFor('the pool to be open again', () => pool.query('select 4 as four'));
  expect(rows).toEqual([{ four: 4 }]);
});

test('a connection that cannot even be opened counts as silence too', async () => {
  open();
  proxy.swallow('everything');
  await expect(pool.query('select 1')).rejects.toEqual(silence);
});

test('a statement that is merely slow is left alone as long as the database answers', async () => {
  open();
  const { rows } = await pool.query('select pg_sleep(3), 5 as five');
  expect(rows).toMatchObject([{ five: 5 }]);
});

test('an address where no process listens refuses at once, by its own name', async () => {
  open();
  await pool.query('select 1');
  proxy.cut();
  await expect(pool.query('select 1')).rejects.not.toBeInstanceOf(DatabaseSilentError);
});

test('a connection that alone is dead is given up in time, with those that were as still', async () => {
  open({ abandonMs: 1_000 });
  const [one, two] = await Promise.all([pool.connect(), pool.connect()]);
  one.release();
  two.release();
  expect(pool.totalCount).toBe(2);
  proxy.strand();
  await expect(pool.query('select 1')).rejects.toEqual(silence);
  const { rows } = await pool.query('select 6 as six');
  expect(rows).toEqual([{ six: 6 }]);
  expect(pool.totalCount).toBe(1);
});
