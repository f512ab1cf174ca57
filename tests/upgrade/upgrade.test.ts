import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { upgradeRow } from '../../extras/release/src/texts.mjs';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { embeddedRoles } from '../../packages/embedded/src/roles.ts';
import { embeddedUrl, forgetful, startEmbedded } from '../../packages/embedded/src/server.ts';
import { environmentOf, installVersions } from '../../scripts/postgres-versions.mjs';
import { compareRestaurant } from '../model/compare.ts';
import { untilQuiet } from '../model/service.ts';
import { expectNothingLeft, finish, serving, startRun, unusedPort } from '../start/run.ts';
import { noteProcess } from '../support/run-directory.ts';
import { withClient } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';
import { type Dump, dumpOf, fillEveryTable, handEdited, missingFrom, restore } from './data.ts';
import { releaseBefore } from './releases.ts';
import { call, openLoad, openService, stop } from './service.ts';
import { buildNext, buildRelease, changed, nextVersion, type Version } from './trees.ts';

let folder: string;
let before: Version;
let next: Version;
/** Of the release before, as its npm start has left it, with a key of its demo location; the first test of each PostgreSQL makes it. */
let dump: Dump;
let demoKey: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-upgrade-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  before = await buildRelease(releaseBefore);
  // Its package holds the site of its documents, which is built with it.
  next = await buildNext();
  await installVersions();
}, 600_000);
afterAll(() => {
  for (const path of [folder, next?.tree])
    if (path !== undefined) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
});

it('a clone that does not hold the release before says so', async () => {
  await expect(buildRelease({ version: '0.0.9', commit: 'f'.repeat(40) })).rejects.toThrow(
    /release 0\.0\.9 cannot be built: this clone does not hold commit f{40}\. Fetch the whole history/,
  );
});

it('the table of upgrades in the documents has a row for this one', () => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  const page = readFileSync(join(repositoryRoot, 'docs/operations/upgrades.md'), 'utf8');
  expect(page).toContain(`\n${upgradeRow(releaseBefore, version)}\n`);
});

// In this order: the first test of each PostgreSQL makes the dump that the others read.
describe('the release before', { shuffle: false }, () => {
  describe.each(['15', '18'])('on PostgreSQL %s', (postgres) => {
    const { COMANDA_TEST_POSTGRES: asked } = process.env;
    let environment: Record<string, string>;
    beforeAll(async () => {
      environment = await environmentOf(postgres);
      delete process.env.COMANDA_TEST_POSTGRES;
      Object.assign(process.env, environment);
    });
    afterAll(() => {
      delete process.env.COMANDA_TEST_POSTGRES;
      if (asked !== undefined) process.env.COMANDA_TEST_POSTGRES = asked;
    });

    /** Does something on the server of a data folder while nothing else runs there. */
    async function alone<Result>(
      dataDir: string,
      work: (url: string) => Promise<Result>,
      settings: Readonly<Record<string, string>> = {},
    ): Promise<Result> {
      const server = await startEmbedded({ dataDir, settings });
      const postmaster = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
      const ended = noteProcess(inject('runDirectory'), Number(postmaster.split('\n')[0]));
      try {
        return await work(server.url);
      } finally {
        await server.stop();
        ended();
      }
    }

    it('npm start brings the data folder of the release before up to date, and one version back serves on it', {
      timeout: 300_000,
    }, async () => {
      const dataDir = join(folder, `data-${postgres}`);
      const port = await unusedPort();
      const start = async ({ tree }: Version) => {
        const run = startRun({ dataDir, port, root: tree, env: { SEED_DEMO: 'true' } });
        await serving(run);
        return {
          key: /Demo key {2}(\S+)/.exec(run.output())?.[1] ?? '',
          output: run.output,
          async stop() {
            expect(await finish(run, 'SIGINT')).toBe(0);
            await expectNothingLeft(dataDir);
          },
        };
      };
      const url = `http://127.0.0.1:${port}`;

      const old = await start(before);
      await waitFor('the demo data to be published', async () => {
        const { data } = await call(url, old.key, 'GET /v2/events?limit=1');
        return Array.isArray(data) && data.length > 0;
      });
      await old.stop();
      demoKey = old.key;
      dump = await alone(dataDir, async (superuser) => {
        await fillEveryTable(superuser);
        const rows = await dumpOf(superuser);
        await withClient(superuser, (client) => client.query(leftJob));
        return rows;
      });
      expect([...dump].filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual([]);

      const upgraded = await start(next);
      expect(upgraded.output()).toMatch(/migrations .*: [1-9]\d* applied, \d+ functions and triggers made/);
      expect(await missingFrom((await embeddedUrl(dataDir, 'superuser')) ?? '', dump)).toEqual([]);
      expect(await call(url, old.key, 'POST /v2/suppliers', { name: 'Mill' })).toMatchObject({ status: 201 });
      const products = (await call(url, old.key, 'GET /v2/products?limit=1')).data as { id: string }[];
      const product = `PATCH /v2/products/${products[0]?.id}`;
      expect(await call(url, old.key, product, { barcode: '123' })).toMatchObject({
        status: 200,
        data: { barcode: '123' },
      });
      await waitFor('the job that was left', async () => {
        const { data } = await call(url, old.key, 'GET /v2/products/by-external-id/left-by-a-job');
        return data !== undefined;
      });
      await upgraded.stop();

      const back = await start(before);
      expect(await call(url, old.key, product, { description: 'by the version before' })).toMatchObject({
        status: 200,
      });
      await back.stop();
      await alone(dataDir, (superuser) => withClient(superuser, expectNextVersion));

      const again = await start(next);
      expect(await call(url, old.key, 'POST /v2/suppliers', { name: 'Dairy' })).toMatchObject({
        status: 201,
      });
      expect(await call(url, old.key, product.replace('PATCH', 'GET'))).toMatchObject({
        data: { barcode: '123', description: 'by the version before' },
      });
      await again.stop();
      // Changes that the release before captured and did not publish are published by the next.
      await alone(dataDir, (superuser) =>
        withClient(superuser, async (client) => {
          const { rows } = await client.query(
            `select (select count(*)::int from events where type = 'product.updated' and body like $1) as published,
               (select count(*)::int from graphile_worker.jobs where task_identifier = 'sync-products') as old_jobs`,
            [`%${handEdited}%`],
          );
          expect(rows).toEqual([{ published: 1, old_jobs: 0 }]);
        }),
      );
    });

    it('comanda migrate brings a dump up to date between a stop and a start under load, and so goes one version back', {
      timeout: 400_000,
    }, async () => {
      const dataDir = join(folder, `server-${postgres}`);
      const upgradeUnderLoad = async (superuser: string) => {
        const { owner, service: url } = await embeddedRoles(dataDir, 'comanda');
        const service = await openService({ url, ownerUrl: owner }, before);
        await restore(superuser, dump);
        expect(await missingFrom(superuser, dump)).toEqual([]);
        const first = await service.start(before);
        const { driven, restaurant, consumer, end, serveBy, goOn } = await openLoad(service, before, first);
        await goOn();

        await end(first);
        const { done } = await service.comanda(next, 'migrate');
        expect(done.applied).toContainEqual(expect.stringMatching(/_upgrade$/));
        expect(done.objects).toEqual(
          expect.arrayContaining([
            'function touch_updated_at',
            'function order_entry_2',
            'function suppliers_json',
          ]),
        );
        expect(await missingFrom(superuser, dump)).toEqual([]);
        const second = await service.start(next);
        serveBy(second);
        await goOn();
        const supplier = { name: 'Mill' };
        expect(await call(second.api.url, demoKey, 'POST /v2/suppliers', supplier)).toMatchObject({
          status: 201,
        });

        // One version back, whose worker does not know suppliers.
        await waitFor('the supplier to be published', async () => {
          const { data } = await call(
            second.api.url,
            demoKey,
            'GET /v2/events?limit=1&types=supplier.created',
          );
          return Array.isArray(data) && data.length > 0;
        });
        await end(second);
        expect((await service.comanda(before, 'migrate')).done).toMatchObject({
          applied: [],
          objects: [],
          dropped: [],
        });
        const third = await service.start(before);
        serveBy(third);
        await goOn();
        await withClient(superuser, expectNextVersion);

        // And forward again.
        await end(third);
        await service.comanda(next, 'migrate');
        const fourth = await service.start(next);
        serveBy(fourth);
        await goOn();
        expect(await call(fourth.api.url, demoKey, 'POST /v2/suppliers', supplier)).toMatchObject({
          status: 201,
        });
        await driven.stop();
        await withClient(superuser, (client) => untilQuiet(client, 90_000));

        const published = await compareRestaurant(restaurant, { databaseUrl: superuser, consumer });
        expect(restaurant.counts).toMatchObject({ unavailable: 0, unanswered: 0 });
        expect(published).toMatchObject({ delivered: published.events, dead: 0, waiting: 0, repeats: 0 });
        for (const { api, worker } of [first, second, third, fourth])
          expect(api.output() + worker.output()).not.toMatch(/"level":[56]0/);
        await stop(fourth);
        await consumer.close();

        // Objects that this version dropped are removed by the one after it, when no process of the one before runs any more.
        const prisma = join(next.tree, 'prisma');
        const { dropped } = await migrate(owner, {
          directory: join(prisma, 'migrations'),
          sqlDirectory: join(prisma, 'sql'),
          release: '99.2.0',
        });
        expect(dropped).toContain('function order_entry');
      };
      await alone(dataDir, upgradeUnderLoad, forgetful);
    });
  });
});

/** A sync job with a job of the queue as builds before 0.1.0 queued it. */
const leftJob = `
  begin; set local session_replication_role = replica;
  with job as (
    insert into sync_jobs (location_id, id, mode, items, total_items, request_id)
    select id, uuid_v7(), 'upsert', '[{"external_id": "left-by-a-job", "name": "Left", "price": 1}]', 1, 'left' from locations limit 1
    returning location_id, id)
  select graphile_worker.add_job('sync-products', json_build_object('locationId', location_id, 'jobId', id), max_attempts := 25) from job;
  commit`;

/** The objects of the next version are there, after the version before has served and migrated, and the wrappers of 0.1.0 are gone. */
async function expectNextVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select (select prosrc like $1 from pg_proc where proname = 'touch_updated_at') as changed,
       (select array_agg(proname::text order by proname) from pg_proc where proname ~ '^(order_entry|suppliers_json)') as functions,
       (select gone_since from internal.sql_objects where identity = 'function order_entry') as dropped,
       (select release from internal.sql_releases order by applied_at desc limit 1) as release,
       has_table_privilege('comanda_service', 'suppliers', 'INSERT') as granted,
       array(select proname::text from pg_proc where proname = any ($2)) as wrappers`,
    [`%${changed}%`, ['place_order', 'move_order', 'move_payment', 'offered_product', 'take_deed_setting']],
  );
  expect(rows).toEqual([
    {
      changed: true,
      functions: ['order_entry', 'order_entry_2', 'suppliers_json'],
      dropped: nextVersion,
      release: nextVersion,
      granted: true,
      wrappers: [],
    },
  ]);
}
