import { randomBytes } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { afterEach, expect, test, vi } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { createHosts } from '../../packages/db/src/connection/hosts.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { editUrl, hostsIn, withHosts } from '../../packages/db/src/settings/forms.mjs';
import { callRest, startTestApi } from '../support/api.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { runOnce } from '../support/server.ts';
import { trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type OwnServer, startOwnServer } from './postgres/server.ts';
import { primarySettings, startStandby } from './postgres/standby.ts';

vi.setConfig({ testTimeout: trials(120_000, 300_000), hookTimeout: 60_000 });

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

/** One URL of both, the standby first, that asks for the one that may be written to. */
function urlOfBoth(standby: OwnServer, primary: OwnServer): string {
  const hosts = [standby, primary].flatMap(({ url }) => hostsIn(url)).join(',');
  return editUrl(withHosts(primary.url, hosts), ({ searchParams }) => {
    searchParams.set('target_session_attrs', 'read-write');
  });
}

async function startPair() {
  const primary = await startOwnServer({ settings: primarySettings });
  toClose.push(() => primary.remove());
  await migrateQueue(primary.url);
  const standby = await startStandby(primary);
  toClose.push(() => standby.remove());
  return { primary, standby, url: urlOfBoth(standby, primary) };
}

test('a URL with several hosts leads to the one that may be written to, and after a failover to the new one', async () => {
  const { primary, standby, url } = await startPair();
  const database = openDatabase({ url, poolSize: 2 });
  toClose.push(() => database.close());
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId });
  const productId = await createProduct(database, { locationId, price: 4 });
  const api = await startTestApi({ databaseUrl: url });
  toClose.push(() => api.close());
  const worker = await startTestWorker(url, randomBytes(32).toString('base64'));
  toClose.push(() => worker.stop());
  const rename = (name: string) =>
    callRest(api.url, `PATCH /v2/products/${productId}`, { key, body: { name } });

  const published = (count: number) =>
    waitFor(
      `${count} events`,
      async () => {
        const found = await database.pool.query(
          `select body::jsonb->'data'->>'name' as name from events where type = 'product.updated' order by number`,
        );
        return found.rows.length === count && found.rows;
      },
      { timeoutMs: 60_000 },
    );

  expect((await rename('before')).status).toBe(200);
  await published(1);
  // A stop that is ordered sends the standby everything first.
  await primary.stop('fast');
  expect((await rename('while no host accepts')).status).toBe(503);
  await runOnce(standby.url, 'select pg_promote(wait => true)');
  await waitFor('the write to pass', async () => (await rename('after')).status === 200, {
    timeoutMs: 30_000,
  });
  expect(await published(2)).toEqual([{ name: 'before' }, { name: 'after' }]);
});

test('a command migrates the one of several hosts that may be written to; doctor sees that DATABASE_URL names the standby, where every question is answered', async () => {
  const { primary, standby, url } = await startPair();
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const { outcome, checks } = await diagnose({ DATABASE_URL: standby.url, ENCRYPTION_KEY });
  const of = (name: string) => checks.find((check) => check.name === name);
  expect(outcome).toBe('wrong');
  expect(of('database reachable')?.outcome).toBe('ok');
  expect(of('writing')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringMatching(
      /^it cannot be written to: cannot execute INSERT in a read-only transaction/,
    ),
    advice: expect.stringMatching(/standby/),
  });
  expect(of('queue')?.outcome).toMatch(/^(unknown|wrong)$/);
  // The readable parts are judged there as well.
  for (const name of ['migrations', 'counts', 'functions and triggers', 'event feed'])
    expect(of(name), name).toMatchObject({ outcome: 'ok' });

  await runOnce(primary.url, 'drop schema graphile_worker cascade');
  await migrateQueue(url);
  await runOnce(primary.url, 'select from graphile_worker.migrations');
});

test('the hosts of a URL are tried in turn, and only the call that finds one unavailable goes on to the next', () => {
  const hosts = createHosts('postgresql://me:secret@a:1,[::1]:2,c/db?sslmode=disable');
  const first = hosts.url();
  expect(first).toBe('postgresql://me:secret@a:1/db?sslmode=disable');
  hosts.missed(first);
  const second = hosts.url();
  hosts.missed(first);
  expect([second, hosts.url()]).toEqual([
    'postgresql://me:secret@[::1]:2/db?sslmode=disable',
    'postgresql://me:secret@[::1]:2/db?sslmode=disable',
  ]);
  hosts.missed(second);
  expect(hosts.url()).toBe('postgresql://me:secret@c/db?sslmode=disable');
});
