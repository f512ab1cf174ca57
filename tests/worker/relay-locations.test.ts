import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { publishRound, publishSetAside } from '../../packages/worker/src/relay/round.ts';
import { createCategory, createLocation, createProduct } from '../support/factories.ts';
import { stepWorker, useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { insertOrder, silent, useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);
let other: string;
const open: pg.Client[] = [];

beforeEach(async () => {
  other = await createLocation(kit.database);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
});

/** Opens a transaction that holds what the statement locks. */
async function hold(sql: string, values: unknown[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: kit.url });
  await client.connect();
  open.push(client);
  await client.query('begin');
  await client.query(sql, values);
  return client;
}

const eventsOf = (locationId: string) =>
  kit.sql<{ id: string; type: string; resource: string; number: number }>`
    select id, type, resource_id as resource, number::int from events where location_id = ${locationId} order by number`;

const typesOf = async (locationId: string) => (await eventsOf(locationId)).map(({ type }) => type);

/** All events that may be published now; how many changes each round had. */
async function publishAll(): Promise<number[]> {
  const rounds: number[] = [];
  for (;;) {
    const { changes } = await publishRound(kit.database, silent);
    if (changes === 0) return rounds;
    rounds.push(changes);
  }
}

const published = (locationId: string, events = 1) =>
  waitFor(`events of ${locationId}`, async () => (await eventsOf(locationId)).length >= events, {
    timeoutMs: 25_000,
  });

describe('a row lock at one location', () => {
  test.each([['the location itself', 'select from locations where id = $1 for update']])(
    'on %s blocks no other location, and its own events come when it is released',
    async (_, lock) => {
      const events = ['product.created'];
      await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events });
      const productId = await createProduct(kit.database, { locationId: kit.locationId });
      const holder = await hold(lock, [kit.locationId]);
      await createProduct(kit.database, { locationId: other });
      await worker.turn();
      expect(await typesOf(other)).toEqual(['product.created']);
      expect(await eventsOf(kit.locationId)).toEqual([]);
      await holder.query('rollback');
      await worker.makeDue();
      await worker.turn();
      expect(await eventsOf(kit.locationId)).toMatchObject([
        { type: 'product.created', resource: productId },
      ]);
    },
  );
});

test('what was set aside at a location whose rows are held delays nothing of others', async () => {
  await createProduct(kit.database, { locationId: kit.locationId });
  await kit.database.pool.query('update internal.captured_changes set failures = 1, retry_at = now()');
  await hold('select from locations where id = $1 for update', [kit.locationId]);
  expect(await publishSetAside(kit.database, silent)).toMatchObject({ changes: 1, events: 0 });
  expect(
    await kit.sql('select failures, retry_at > now() as later, error from internal.captured_changes'),
  ).toEqual([{ failures: 1, later: true, error: null }]);
});

describe('a transaction of thousands of changes', () => {
  test('is published in slices, others in between, each resource once and the catalog once', async () => {
    const categoryId = await createCategory(kit.database, { locationId: kit.locationId });
    await createProduct(kit.database, { locationId: kit.locationId, categoryIds: [categoryId] });
    await publishAll();
    await kit.sql('delete from events');
    const client = await hold(
      `insert into products (location_id, sku, name, price) select $1, 'big-' || n, 'Big', 1 from generate_series(1, 6000) n`,
      [kit.locationId],
    );
    await client.query('update products set price = 2 where location_id = $1', [kit.locationId]);
    await client.query('commit');
    await createProduct(kit.database, { locationId: other });
    const { changes } = await publishRound(kit.database, silent);
    expect(changes).toBeLessThan(10);
    expect(await typesOf(other)).toEqual(['product.created']);
    const rounds = await publishAll();
    // Two parts of 250 products, each made and changed.
    expect(Math.max(...rounds)).toBeLessThanOrEqual(1_000);
    const events = await eventsOf(kit.locationId);
    const [{ number: before } = { number: 0 }] = events;
    expect(events.map(({ number }) => number)).toEqual(events.map((__, index) => before + index));
    expect(events.filter(({ type }) => type === 'product.created')).toHaveLength(6_000);
    expect(new Set(events.map(({ resource }) => resource)).size).toBe(6_002);
    expect(events.at(-1)?.type).toBe('catalog.updated');
    // Those that are new, the one that was there, and the catalog.
    expect(events).toHaveLength(6_002);
  });

  test('comes after what others changed before it ended', async () => {
    const orderId = await insertOrder(kit);
    const id = await createProduct(kit.database, { locationId: kit.locationId });
    await publishAll();
    const client = await hold(
      `do $$ begin for n in 1..600 loop update products set price = n where id = '${id}'; end loop; end $$`,
      [],
    );
    await kit.sql(`update orders set status = 'ready' where id = $1`, [orderId]);
    await client.query(`update orders set status = 'closed' where id = $1`, [orderId]);
    await client.query('commit');
    await publishAll();
    const moves = await kit.sql<{ to: string }>`
      select body::jsonb #>> '{data,status}' as to from events where type = 'order.status_changed' order by number`;
    expect(moves.map(({ to }) => to)).toEqual(['ready', 'closed']);
  });
});

describe('any number of workers share the locations', () => {
  test('locations of another relay are skipped', async () => {
    await createProduct(kit.database, { locationId: kit.locationId });
    await createProduct(kit.database, { locationId: other });
    const holder = await hold(
      `select pg_advisory_xact_lock(hashtextextended('comanda relay ' || $1::uuid, 0))`,
      [kit.locationId],
    );
    await publishAll();
    expect([(await eventsOf(kit.locationId)).length, (await eventsOf(other)).length]).toEqual([0, 1]);
    await holder.query('commit');
    await publishAll();
    expect(await eventsOf(kit.locationId)).toHaveLength(1);
  });

  test('several at once publish each change once, without a gap in the numbers', async () => {
    const locations = [
      kit.locationId,
      other,
      await createLocation(kit.database),
      await createLocation(kit.database),
    ];
    const second = await stepWorker(kit);
    for (let round = 0; round < 10; round += 1) {
      const changes = locations.map(
        (locationId) =>
          kit.sql`insert into products (location_id, sku, name, price)
          select ${locationId}::uuid, ${String(round)} || '-' || n, 'p', 1 from generate_series(1, 100) n`,
      );
      await Promise.all([...changes, worker.turn(), second.turn()]);
    }
    await Promise.all([worker.turn(), second.turn()]);
    expect(await kit.count('internal.captured_changes')).toBe(0);
    for (const locationId of locations) {
      const events = await eventsOf(locationId);
      expect(
        new Set(events.filter(({ type }) => type === 'product.created').map(({ resource }) => resource)).size,
      ).toBe(1_000);
      expect(events.map(({ number }) => number)).toEqual(
        Array.from({ length: 1_000 }, (_, index) => index + 1),
      );
    }
  });

  test('a frozen one is rid of its transaction after some seconds, and blocks no other location', async () => {
    const url = new URL(kit.url);
    url.searchParams.set('application_name', 'comanda-frozen');
    const frozen = await kit.startProcess({ DATABASE_URL: url.href });
    onTestFinished(async () => {
      process.kill(frozen.pid, 'SIGCONT');
      await frozen.stop('SIGKILL');
    });
    // A wait of a second at most, in which it is caught with its transaction open.
    await createProduct(kit.database, { locationId: kit.locationId });
    await published(kit.locationId);
    const holder = await hold('select from internal.location_counters where location_id = $1 for update', [
      kit.locationId,
    ]);
    await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor(
      'the worker to be caught',
      async () => {
        if (!(await waitsForLock())) return false;
        process.kill(frozen.pid, 'SIGSTOP');
        if (await waitsForLock()) return true;
        process.kill(frozen.pid, 'SIGCONT');
        return false;
      },
      { timeoutMs: 60_000, intervalMs: 5 },
    );
    await holder.query('rollback');
    await kit.startWorker();
    onTestFinished(kit.stopWorkers);
    await createProduct(kit.database, { locationId: other });
    await published(other);
    await published(kit.locationId, 2);
    process.kill(frozen.pid, 'SIGCONT');
    await createProduct(kit.database, { locationId: kit.locationId });
    await published(kit.locationId, 3);
    expect(await typesOf(kit.locationId)).toEqual([1, 2, 3].map(() => 'product.created'));
  }, 120_000);
});

const waitsForLock = async () =>
  (await kit.count(`pg_stat_activity where application_name like 'comanda-frozen%' and wait_event_type = 'Lock'
    and query like '%location_counters%' and datname = current_database()`)) > 0;
