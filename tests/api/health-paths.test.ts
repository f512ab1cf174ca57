import { expect, it, vi } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Gate, makeGate } from '../support/gate.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

// Health depends on the callers' results: each connection to the database is cut in turn, and its disk runs
// full.

vi.setConfig({ testTimeout: 60_000 });

/** An API whose requests go through one gate, and all else through another. */
async function withGates(work: (api: TestApi, gates: Record<'pooler' | 'direct', Gate>) => Promise<void>) {
  const own = await createTestDatabase();
  const gates = { pooler: await makeGate(own.url), direct: await makeGate(own.url) };
  await Promise.all([gates.pooler.open(), gates.direct.open()]);
  const api = await startTestApi({ databaseUrl: gates.pooler.url, databaseDirectUrl: gates.direct.url });
  try {
    await work(api, gates);
  } finally {
    await api.close();
    await Promise.all([gates.pooler.shut(), gates.direct.shut()]);
    await own.drop();
  }
}

const readyz = async ({ url }: Pick<TestApi, 'url'>) => {
  const answer = await fetch(`${url}/readyz`);
  const body = (await answer.json()) as Record<string, unknown>;
  return { ...body, code: answer.status } as Record<string, unknown>;
};

const found = (api: TestApi, what: Record<string, unknown>) =>
  waitFor(
    JSON.stringify(what),
    async () => {
      const ready = await readyz(api);
      return Object.entries(what).every(([name, value]) => ready[name] === value) && ready;
    },
    { timeoutMs: 20_000 },
  );

it('a pooler that is away makes it 503 while the database is well, and 200 once it is back', async () => {
  await withGates(async (api, { pooler }) => {
    expect(await readyz(api)).toMatchObject({ code: 200, database: 'ok', direct: 'ok' });
    await pooler.shut();
    await found(api, { code: 503, status: 'database unreachable', database: 'unreachable', direct: 'ok' });
    expect((await api.rest('GET /v2/products')).status).toBe(503);
    await pooler.open();
    await found(api, { code: 200, database: 'ok', direct: 'ok' });
    await waitFor('callers to be served', async () => (await api.rest('GET /v2/products')).status === 200);
  });
});

it('the way past the pooler that is away is named, and callers are served', async () => {
  await withGates(async (api, { direct }) => {
    const kitchen = await createOrderKitchen(api);
    await direct.shut();
    await found(api, { code: 200, status: 'ok', database: 'ok', direct: 'unreachable' });
    expect((await kitchen.post()).status).toBe(201);
    expect((await api.rest('GET /v2/products')).status).toBe(200);
    await direct.open();
    await found(api, { code: 200, direct: 'ok' });
  });
});

it('a write that finds the disk full makes it 503, and once there is room it is 200 by itself', async () => {
  const api = await startTestApi();
  try {
    const kitchen = await createOrderKitchen(api);
    await runOnce(
      api.databaseUrl,
      `create function full_disk() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$;
       create trigger full_disk before insert on products for each row execute function full_disk()`,
    );
    expect(await readyz(api)).toMatchObject({ code: 200, database: 'ok' });
    const body = { name: 'Soup', description: '', price: 4 };
    expect((await api.rest('POST /v2/products', { body })).status).toBe(503);
    await found(api, { code: 503, status: 'database disk-full', database: 'disk-full' });
    await runOnce(api.databaseUrl, 'drop trigger full_disk on products');
    await found(api, { code: 200, status: 'ok', database: 'ok' });
    expect((await kitchen.post()).status).toBe(201);
  } finally {
    await api.close();
  }
});
