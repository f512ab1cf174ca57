import { openDatabase } from '@comanda/db';
import { pino } from 'pino';
import { beforeAll, expect, inject, it, vi } from 'vitest';
import { publishRound } from '../../packages/worker/src/relay/round.ts';
import { useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { quoteName, runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

// Every failover has a moment in which the database answers and does not let us write (SQLSTATE 25006).

vi.setConfig({ testTimeout: 60_000 });

const api = useApi();
const kitchen = useOrderKitchen(api);
let name: string;
beforeAll(async () => {
  name = new URL(api.databaseUrl).pathname.slice(1);
});

/** From the next connection on; those that there are end. */
async function setReadOnly(on: boolean): Promise<void> {
  const admin = inject('adminUrl');
  await runOnce(admin, `alter database ${quoteName(name)} set default_transaction_read_only = ${on}`);
  if (on)
    await runOnce(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

const ready = async () => {
  const answer = await fetch(`${api.url}/readyz`);
  return {
    status: answer.status,
    after: answer.headers.get('retry-after'),
    body: (await answer.json()) as Record<string, unknown>,
  };
};

it('a database that is read-only is unavailable: 503 with Retry-After, until it is not, and nothing is set aside', async () => {
  expect((await kitchen.post()).status).toBe(201);
  await setReadOnly(true);
  const refused = await waitFor('readiness to say so', async () => {
    const found = await ready();
    return found.body.database === 'read-only' && found;
  });
  expect(refused).toEqual({
    status: 503,
    after: '5',
    body: { status: 'database read-only', database: 'read-only', worker: 'unknown' },
  });
  const order = await waitFor('the connections to be new', async () => {
    const answer = await kitchen.post();
    return answer.status === 503 && answer;
  });
  expect(order.headers.get('retry-after')).toBe('5');
  expect(order.body).toMatchObject({ error: { code: 'internal_error' } });

  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const database = openDatabase({ url: api.databaseUrl });
  await expect(publishRound(database, log)).rejects.toMatchObject({ code: '25006' });
  expect(logged).toEqual([]);
  await setReadOnly(false);
  await waitFor('orders to be placed again', async () => (await kitchen.post()).status === 201);
  await waitFor('readiness', async () => (await ready()).status === 200);
  const { rows } = await database.pool.query(
    'select count(*)::int as waiting, max(failures) as failures from internal.captured_changes',
  );
  expect(rows).toEqual([{ waiting: expect.any(Number), failures: 0 }]);
  expect(rows[0].waiting).toBeGreaterThan(0);
  await database.close();
});
