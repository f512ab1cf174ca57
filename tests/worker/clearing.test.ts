import { describe, expect, test } from 'vitest';
import { clearBatch } from '../../packages/worker/src/deliveries/clearing.ts';
import { useHand } from '../support/by-hand.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import { useSteppedWorker } from '../support/stepped-worker.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);
const hand = useHand(kit);

/** An endpoint and deliveries of one event to it: delivered ones with an attempt, and such as wait. */
async function endpointWith(history: { delivered: number; waiting: number }, locationId = kit.locationId) {
  const consumer = await kit.consumer();
  const { id } = await kit.createEndpoint({ url: consumer.url, events: ['product.created'], locationId });
  await kit.sql`with event as (
      insert into events (location_id, id, number, type, resource_id, body, created_at)
      select ${locationId}, uuid_v7(), coalesce(max(number), 0) + 1, 'product.created', ${locationId}, '{"api_version":"v2"}', now()
      from events where location_id = ${locationId} returning id
    ), made as (
      insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts, next_attempt_at)
      select ${locationId}, ${id}, event.id, (case when n <= ${history.delivered} then 'delivered' else 'pending' end)::delivery_status,
        case when n <= ${history.delivered} then 1 else 0 end, case when n > ${history.delivered} then now() end
      from event, generate_series(1, ${history.delivered}::int + ${history.waiting}::int) n
      returning id, event_id, status
    )
    insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, duration_ms, attempted_at)
    select ${locationId}, id, ${id}, event_id, 'product.created', 1, 'delivered', 1, now() from made where status = 'delivered'`;
  await kit.sql`
    insert into internal.location_counters (location_id, name, value) values (${locationId}, 'event', 1000)
    on conflict do nothing`;
  return { id, consumer };
}

const deliveries = (id: string, where = 'true') =>
  kit.count(`webhook_deliveries where endpoint_id = '${id}' and ${where}`);

/** Clears until nothing is left for now; answers what each batch cleared. */
async function clearAll(): Promise<number[]> {
  const batches: number[] = [];
  for (;;) {
    const cleared = await clearBatch(kit.database);
    if (cleared === undefined) return batches;
    batches.push(cleared);
  }
}

const lastPass = () =>
  kit.sql(`update internal.endpoint_clearings set asked_at = asked_at - interval '1 hour', look_at = now()`);

describe('an endpoint with a big history', () => {
  test.each([
    ['deleted by psql', 'delete from webhook_endpoints where id = $1'],
    ['disabled', `update webhook_endpoints set status = 'disabled' where id = $1`],
    ['held by a forgotten session', 'select from webhook_endpoints where id = $1 for update'],
  ])("that is being %s holds up no event, neither its own nor anybody else's", async (_, text) => {
    const { id } = await endpointWith({ delivered: 10, waiting: 10 });
    const elsewhere = await createLocation(kit.database);
    const other = await endpointWith({ delivered: 0, waiting: 0 }, elsewhere);
    const beside = await endpointWith({ delivered: 0, waiting: 0 });
    await hand.sql('begin');
    await hand.sql(text, [id]);
    await createProduct(kit.database, { locationId: kit.locationId });
    await createProduct(kit.database, { locationId: elsewhere });
    // While that transaction is open.
    await worker.begin();
    await Promise.all([beside.consumer.arrived(1), other.consumer.arrived(1)]);
    await hand.sql('commit');
  });

  test('is deleted without touching a delivery, and cleared away in batches without those of others', async () => {
    const { id } = await endpointWith({ delivered: 1_500, waiting: 700 });
    const neighbour = await endpointWith({ delivered: 300, waiting: 0 });
    expect(await hand.sql('delete from webhook_endpoints where id = $1 returning id', [id])).toEqual([
      { id },
    ]);
    expect(await deliveries(id)).toBe(2_200);
    const batches = await clearAll();
    expect(Math.max(...batches)).toBeLessThanOrEqual(1_000);
    expect(batches.length).toBeGreaterThanOrEqual(3);
    expect(await deliveries(id)).toBe(0);
    expect(await kit.count(`webhook_attempts where endpoint_id = '${id}'`)).toBe(0);
    expect(await deliveries(neighbour.id)).toBe(300);
    expect(await kit.count(`webhook_attempts where endpoint_id = '${neighbour.id}'`)).toBe(300);
  });

  test('is disabled without touching a delivery; what waits is dropped in batches, the rest stays', async () => {
    const { id } = await endpointWith({ delivered: 100, waiting: 2_300 });
    await kit.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [id]);
    expect(await deliveries(id, `status = 'pending'`)).toBe(2_300);
    const batches = await clearAll();
    expect(batches.filter((cleared) => cleared > 0)).toEqual([1_000, 1_000, 300]);
    expect(await deliveries(id, `status = 'dropped' and next_attempt_at is null`)).toBe(2_300);
    expect(await deliveries(id, `status = 'delivered'`)).toBe(100);
  });

  test('that is enabled again before it was cleared gets what is new and nothing that waited', async () => {
    const { id, consumer } = await endpointWith({ delivered: 0, waiting: 50 });
    for (const status of ['disabled', 'active'])
      await kit.sql`
        update webhook_endpoints set status = ${status}::webhook_endpoint_status where id = ${id}`;
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    expect(await deliveries(id, `status = 'dropped'`)).toBe(50);
    expect(await deliveries(id, `status = 'delivered'`)).toBe(1);
    expect(consumer.received).toHaveLength(1);
    expect(await kit.count(`webhook_attempts where endpoint_id = '${id}'`)).toBe(1);
  });
});

test('clearing goes on where it was interrupted, and waits for no locked row', async () => {
  const { id } = await endpointWith({ delivered: 0, waiting: 1_200 });
  await hand.sql('begin');
  await hand.sql(`select deed('repair: holds a row')`);
  const [held] = await hand.sql<{ id: string }>`
    select id from webhook_deliveries where endpoint_id = ${id} order by next_attempt_at, id limit 1 for update`;
  await kit.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [id]);
  expect(await clearAll()).toEqual([999, 200]);
  expect(await kit.sql(`select id from webhook_deliveries where next_attempt_at is not null`)).toEqual([
    held,
  ]);
  await hand.sql('rollback');
  await lastPass();
  expect(await clearAll()).toEqual([1]);
  expect(await deliveries(id, `status = 'dropped'`)).toBe(1_200);
  expect(await kit.count('internal.endpoint_clearings')).toBe(0);
});

test.each([
  ['deleted', 'delete from webhook_endpoints where id = $1'],
  ['disabled', `update webhook_endpoints set status = 'disabled' where id = $1`],
])(
  'what was being published to an endpoint while it was %s is cleared by the last pass',
  async (how, text) => {
    const { id } = await endpointWith({ delivered: 0, waiting: 1 });
    await kit.sql(text, [id]);
    await clearAll();
    await publishLate(id);
    await lastPass();
    expect(await clearAll()).toEqual([1]);
    expect(await deliveries(id, 'next_attempt_at is not null')).toBe(0);
    expect(await deliveries(id)).toBe(how === 'deleted' ? 0 : 2);
    expect(await kit.count('internal.endpoint_clearings')).toBe(0);
  },
);

test('what was being published to an endpoint while it was disabled waited ten minutes to be dropped', async () => {
  const { id } = await endpointWith({ delivered: 0, waiting: 1 });
  await kit.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [id]);
  await clearAll();
  await publishLate(id);
  await kit.sql('update internal.endpoint_clearings set look_at = now()');
  expect(await clearAll()).toEqual([1]);
  expect(await deliveries(id, 'next_attempt_at is not null')).toBe(0);
  // Later still.
  await publishLate(id);
  await lastPass();
  expect(await clearAll()).toEqual([1]);
  expect(await kit.count('internal.endpoint_clearings')).toBe(0);
});

/** As a transaction does that saw the endpoint as it was. */
const publishLate = (id: string) =>
  kit.sql`insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at)
    select ${kit.locationId}, ${id}, id, now() from events where location_id = ${kit.locationId} order by number limit 1`;
