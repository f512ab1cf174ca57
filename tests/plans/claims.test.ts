import { type Database, openDatabase } from '@comanda/db';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimDeliveries } from '../../packages/worker/src/deliveries/statements.ts';
import { takingLocations } from '../../packages/worker/src/relay/changes.ts';
import { insertClaimed } from '../../packages/worker/src/relay/deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createLocation } from '../support/factories.ts';
import { explainDatabase, listenToPlans } from './auto-explain.ts';
import { type Indexes, indexColumns } from './entered.ts';
import { judge, type PlanNode } from './judge.ts';

// A claim reads the rows that it claims, with any number of deliveries pending for others, done, or pending for the
// same endpoint, and under any statistics. Deliveries wait for moments only: who analyses the table mostly finds few
// that do.
let testDatabase: TestDatabase;
let outside: pg.Client;
let database: Database;
let indexes: Indexes;
let here: Endpoint;
let beside: Endpoint;
let elsewhere: Endpoint;
const plans: PlanNode[] = [];
const listening = listenToPlans(({ application, text, plan }) => {
  const isOfClaims = text.includes('d.ctid AS place') || text.includes('taken as materialized');
  if (application === 'comanda-worker' && isOfClaims) plans.push(plan);
});

interface Endpoint {
  locationId: string;
  id: string;
}

const most = 50;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  outside = new pg.Client({ connectionString: testDatabase.superuserUrl });
  await outside.connect();
  // Filler rows count as no change.
  await outside.query('set session_replication_role = replica');
  await outside.query('alter table webhook_deliveries set (autovacuum_enabled = false)');
  await explainDatabase(testDatabase.superuserUrl);
  database = openDatabase({
    url: testDatabase.url,
    poolSize: 1,
    applicationName: 'comanda-worker',
  });
  const { rows } = await outside.query<{ name: string; columns: string[] }>(indexColumns);
  indexes = new Map(rows.map(({ name, columns }) => [name, columns]));
  const locations = [await createLocation(database), await createLocation(database)] as const;
  here = await endpointAt(locations[0]);
  beside = await endpointAt(locations[0]);
  elsewhere = await endpointAt(locations[1]);
  // The rows that the statement is planned on first.
  await deliveries(here, 3, 'now()');
  expect(await claimed()).toBe(3);
}, 60_000);

afterAll(async () => {
  listening.stop();
  await database.close();
  await outside.end();
  await testDatabase.drop();
});

// In this order: the statistics of the table, once made, are not undone, and each test begins with those of the one before.
describe('one table', { shuffle: false }, () => {
  test('a claim reads what it claims after years of deliveries, of which the planner knows nothing', async () => {
    for (const endpoint of endpoints()) await deliveries(endpoint, 40_000, 'null');
    await readsWhatItClaims();
  }, 60_000);

  test('a claim reads what it claims where many have waited, and the table was analysed while few did', async () => {
    await outside.query('delete from webhook_deliveries where next_attempt_at is not null');
    for (const endpoint of endpoints()) await deliveries(endpoint, 2, 'now()');
    await outside.query('vacuum analyze webhook_deliveries');
    await readsWhatItClaims();
  }, 60_000);

  test('a claim reads what it claims where the table was analysed while many waited', async () => {
    await outside.query('analyze webhook_deliveries');
    await readsWhatItClaims();
  }, 60_000);
});

const endpoints = () => [here, beside, elsewhere];

/** Claims where few wait, then where 20,000 do, here and at each of the others. */
async function readsWhatItClaims(): Promise<void> {
  await database.pool.query('discard plans');
  // Claimed rows are skipped.
  await giveAllBack();
  plans.length = 0;
  await claimed();
  for (const endpoint of endpoints()) await deliveries(endpoint, 20_000, "now() - interval '1 hour'");
  expect(await claimed()).toBe(most);
  // As the relay asks whether anything waits; it would skip claimed deliveries.
  await giveAllBack();
  expect(await takenAtOnce()).toBe(0);
  expect(plans).toHaveLength(3);
  for (const plan of plans) {
    const { touched, useful, unseen } = judge(plan, { indexes });
    expect({ touched, useful, unseen, readsFew: touched <= 5 * Math.max(useful, 1) }).toMatchObject({
      unseen: undefined,
      readsFew: true,
    });
  }
}

/** How many a claim of fifty brings. */
async function claimed(): Promise<number> {
  const rows = await database.run(claimDeliveries, [
    here.locationId,
    here.id,
    most,
    1_048_576,
    60_000,
    'the worker',
    [],
    '-infinity',
    '00000000-0000-0000-0000-000000000000',
  ]);
  return rows.length;
}

const giveAllBack = () =>
  outside.query(
    'update webhook_deliveries set leased_until = null, leased_by = null where leased_by is not null',
  );

/** For how many of the endpoints a first attempt may be claimed as it is made. */
async function takenAtOnce(): Promise<number> {
  const locations = endpoints().map(({ locationId }) => locationId);
  return database.transaction(takingLocations([...new Set(locations)]), async (tx) => {
    const ids = endpoints().map(({ id }) => id);
    const taken = await tx.run(insertClaimed, [[], [], [], [], locations, ids, 60_000, 'the worker']);
    return taken.length;
  });
}

async function endpointAt(locationId: string): Promise<Endpoint> {
  const { rows } = await outside.query<{ id: string }>(
    `insert into webhook_endpoints (location_id, url, events) values ($1, 'http://127.0.0.1:9/', '{order.created}') returning id`,
    [locationId],
  );
  return { locationId, id: rows[0]?.id ?? '' };
}

/** Adds deliveries, each of an event of its own; `due` is SQL for when they are. */
async function deliveries({ locationId, id }: Endpoint, count: number, due: string): Promise<void> {
  await outside.query(
    `with made as (
       insert into events (location_id, id, number, type, resource_id, body, created_at)
       select $1::uuid, uuid_v7(), n + (select count(*) from events where location_id = $1::uuid), 'order.created', uuid_v7(), '{}', now()
       from generate_series(1, $3::int) n returning id
     )
     insert into webhook_deliveries (location_id, endpoint_id, event_id, status, next_attempt_at)
     select $1, $2::uuid, id, (case when ${due} is null then 'delivered' else 'pending' end)::delivery_status, ${due} from made`,
    [locationId, id, count],
  );
}
