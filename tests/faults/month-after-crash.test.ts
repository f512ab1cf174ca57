import { openDatabase } from '@comanda/db';
import { expect, test } from 'vitest';
import { callRest } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { reportFault } from '../support/trials.ts';

const monthly = 200;
const kills = 2;

test('each kill -9 of an API process takes 1 % of the requests of a month at most', async () => {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url });
  const locationId = await createLocation(database);
  const { id, key } = await createKey(database, { locationId, perMinute: 1_000, monthly });
  const usedOf = async () => {
    const { rows } = await database.pool.query<{ used: number }>(
      `select coalesce(sum(used), 0)::int as used from internal.limit_counters where api_key_id = $1 and "window" = 'month'`,
      [id],
    );
    return rows[0]?.used ?? 0;
  };
  const lost: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const before = await usedOf();
    const api = await startProcess({ entry: 'api', env: { DATABASE_URL: own.url } });
    const { status } = await callRest(api.url ?? '', 'GET /v2/locations/current', { key });
    expect(status).toBe(200);
    await api.stop('SIGKILL');
    lost.push((await usedOf()) - before - 1);
  }
  reportFault('a process killed with requests of a month in hand', {
    trials: kills,
    real: kills,
    lost: lost.join(' '),
  });
  for (const one of lost) expect(one).toBeLessThanOrEqual(monthly / 100);
  const api = await startProcess({ entry: 'api', env: { DATABASE_URL: own.url } });
  let admitted = 0;
  while ((await callRest(api.url ?? '', 'GET /v2/locations/current', { key })).status === 200) admitted += 1;
  expect(admitted).toBeGreaterThanOrEqual(monthly - kills - (kills * monthly) / 100);
  await api.stop();
  await database.close();
  await own.drop();
}, 120_000);
