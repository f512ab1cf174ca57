import { spawnSync } from 'node:child_process';
import { isUnavailable, openDatabase, repositoryRoot, sqlState, statement } from '@comanda/db';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';

const own = useTestDatabase();

const impatient = statement<{ pid: number }>(
  'test_impatient',
  `select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', '100ms', true)`,
);
const next = statement('test_next', 'select 1');

// Holds up this process, as when it is frozen, until the session is gone.
const waitUntilGone = `
  const pg = require('pg');
  const client = new pg.Client({ connectionString: process.argv[1] });
  (async () => {
    await client.connect();
    const ask = 'select from pg_stat_activity where pid = $1';
    while ((await client.query(ask, [process.argv[2]])).rowCount > 0) await new Promise((r) => setTimeout(r, 20));
    await client.end();
  })();`;

test('a process frozen inside a transaction meets an unavailable database, and repeats the transaction', async () => {
  const database = openDatabase({ url: own.url, poolSize: 1 });
  const failed = database.transaction(undefined, async (tx) => {
    const [row] = await tx.run(impatient, []);
    const args = ['-e', waitUntilGone, '--', own.url, String(row?.pid)];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    await tx.run(next, []);
  });
  const error = await failed.catch((reason: unknown) => reason);
  expect(sqlState(error)?.code).toBe('25P03');
  expect(isUnavailable(error)).toBe(true);
  expect(await database.run(next, [])).toHaveLength(1);
  await database.close();
});
