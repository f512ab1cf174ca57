import { openDatabase } from '@comanda/db';
import pg from 'pg';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { findBinaries } from '../../packages/embedded/src/binaries.ts';
import { prepareStart } from '../../packages/embedded/src/cluster.ts';
import { type Answer, callRest, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { createCategory, createKey, createLocation, createProduct } from '../support/factories.ts';
import { quoteName, runOnce } from '../support/server.ts';
import { withClient } from '../support/sql.ts';
import { ownTables } from '../support/tables.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { serverAt, startOwnServer } from './postgres/server.ts';
import { primarySettings, startStandby } from './postgres/standby.ts';

vi.setConfig({ testTimeout: trials(90_000, 300_000), hookTimeout: 60_000 });

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

/** A catalog of one product, two API servers that show it, and what each shows. */
async function openShop(url: string) {
  const database = openDatabase({ url, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId });
  const categoryId = await createCategory(database, { locationId });
  await createProduct(database, { locationId, price: 1, categoryIds: [categoryId] });
  await database.close();
  const servers = [await startTestApi({ databaseUrl: url }), await startTestApi({ databaseUrl: url })];
  toClose.push(() => Promise.all(servers.map((server) => server.close())));
  const ask = (turn: number, etag: string): Promise<Answer> =>
    callRest(servers[turn]?.url ?? '', 'GET /v2/catalog', { key, headers: { 'if-none-match': etag } });
  return {
    /** Changes the price, behind the back of the servers. */
    price: (price: number) => runOnce(url, `update products set price = ${price}`),
    /** Asks one of the two, as often as the database is away. */
    async read(turn: 0 | 1, etag = '"none"') {
      const answer = await waitFor('the catalog', async () => {
        const found = await ask(turn, etag);
        return found.status !== 503 && found;
      });
      const shown = answer.body as unknown as Shown | undefined;
      return {
        status: answer.status,
        etag: answer.headers.get('etag') ?? '',
        version: Date.parse(shown?.data.version ?? ''),
        price: shown?.data.categories[0]?.products[0]?.price,
      };
    },
  };
}

interface Shown {
  data: { version: string; categories: { products: { price: number }[] }[] };
}

/** A clock that was ahead once makes versions count up by milliseconds: the next version is foreseen. */
const clockWasAhead = (url: string) =>
  runOnce(url, `update internal.catalog_versions set version = version + interval '1 hour'`);

/** How a database goes back to what it was: what is kept first, and how it comes back. */
interface WayBack {
  keep(): Promise<void>;
  goBack(): Promise<void>;
}

/** A change is shown and lost; the count that it had comes again, with another change. */
async function loseAChange(shop: Awaited<ReturnType<typeof openShop>>, url: string, way: WayBack) {
  await shop.price(1);
  await shop.read(0);
  await clockWasAhead(url);
  const kept = await shop.read(1);
  await way.keep();
  await shop.price(2);
  const lost = await shop.read(0);
  expect([lost.price, lost.version]).toEqual([2, kept.version + 1]);
  await way.goBack();
  await shop.price(3);
  for (const turn of [0, 1] as const) {
    const after = await shop.read(turn, lost.etag);
    expect(after).toMatchObject({ status: 200, price: 3 });
    expect(after.version).toBeGreaterThanOrEqual(lost.version);
    expect((await shop.read(turn, after.etag)).status).toBe(304);
  }
}

/** The same without another change: what is there again is shown as a newer state, not as an older one. */
async function loseForGood(shop: Awaited<ReturnType<typeof openShop>>, way: WayBack) {
  await shop.price(4);
  await shop.read(0);
  await way.keep();
  await shop.price(5);
  const lost = await shop.read(1);
  await way.goBack();
  for (const turn of [0, 1] as const) {
    const after = await shop.read(turn, lost.etag);
    expect(after).toMatchObject({ status: 200, price: 4 });
    expect(after.version).toBeGreaterThanOrEqual(lost.version);
  }
}

test('a database that is dropped and restored under running servers shows no 304 for what it never showed', async () => {
  const own = await createTestDatabase();
  toClose.push(() => own.drop());
  const admin = inject('adminUrl');
  const [name, copy] = [new URL(own.url).pathname.slice(1), `${inject('databasePrefix')}_kept`];
  const drop = (database: string) =>
    runOnce(admin, `drop database if exists ${quoteName(database)} with (force)`);
  toClose.push(() => drop(copy));
  const way: WayBack = {
    // A database can be copied while it has no session.
    async keep() {
      await drop(copy);
      await runOnce(admin, `alter database ${quoteName(name)} allow_connections false`);
      await runOnce(
        admin,
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
      );
      await runOnce(admin, `create database ${quoteName(copy)} template ${quoteName(name)}`);
      await runOnce(admin, `alter database ${quoteName(name)} allow_connections true`);
    },
    async goBack() {
      await drop(name);
      await runOnce(admin, `create database ${quoteName(name)} template ${quoteName(copy)}`);
    },
  };
  const shop = await openShop(own.url);
  await loseAChange(shop, own.url, way);
  await loseForGood(shop, way);
});

test('tables that are emptied and restored under running servers show no 304 for what they never showed', async () => {
  const own = await createTestDatabase();
  toClose.push(() => own.drop());
  const shop = await openShop(own.url);
  const client = new pg.Client({ connectionString: own.superuserUrl });
  await client.connect();
  toClose.push(() => client.end());
  const tables = (await ownTables(client)).filter(({ name }) => !/^(_prisma|sql_)/.test(name));
  const copies = tables.map(({ name, sql }) => `create table kept.${name} as table ${sql}`);
  const way: WayBack = {
    async keep() {
      await client.query(['drop schema if exists kept cascade', 'create schema kept', ...copies].join('; '));
    },
    // As pg_restore --data-only --disable-triggers does, all at once.
    async goBack() {
      await client.query(
        [
          'begin',
          'set local session_replication_role = replica',
          `truncate ${tables.map(({ sql }) => sql).join(', ')}`,
          ...tables.map(({ name, sql }) => `insert into ${sql} select * from kept.${name}`),
          'commit',
        ].join('; '),
      );
    },
  };
  await loseAChange(shop, own.url, way);
  await loseForGood(shop, way);
});

test('a standby that is promoted without the last commits shows no 304 for what it never showed', async () => {
  const primary = await startOwnServer({ settings: primarySettings });
  toClose.push(() => primary.remove());
  const standby = await startStandby(primary);
  toClose.push(() => standby.remove());
  // The promoted standby gets the address that the API servers connect to.
  const port = Number(new URL(primary.url).port);
  const next = serverAt(standby.instance, await findBinaries(standby.instance.account, () => {}), port);
  const shop = await openShop(primary.url);
  const way: WayBack = {
    async keep() {
      const behind = `select from pg_stat_replication where replay_lsn >= pg_current_wal_flush_lsn()`;
      await withClient(primary.url, (client) =>
        waitFor('the standby to have it all', async () => (await client.query(behind)).rowCount === 1),
      );
      await standby.stop();
    },
    async goBack() {
      await primary.kill();
      prepareStart(standby.instance, port, { max_connections: '100' });
      await next.start();
      await runOnce(next.url, 'select pg_promote(wait => true)');
    },
  };

  await loseAChange(shop, primary.url, way);

  // A restart alone is taken for another history, too: that costs each caller one whole answer.
  const before = await shop.read(0);
  expect((await shop.read(1, before.etag)).status).toBe(304);
  await next.stop();
  await next.start();
  const again = await shop.read(1, before.etag);
  expect(again).toMatchObject({ status: 200, price: 3 });
  expect(again.version).toBeGreaterThan(before.version);
  expect((await shop.read(0, again.etag)).status).toBe(304);
  reportFault('a catalog after a failover that lost a commit', { trials: 1, real: 1, wrong: 0 });
});
