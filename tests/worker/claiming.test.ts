import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDeliveries } from '../../packages/worker/src/deliveries/statements.ts';
import { createWorkerKit, type WorkerKit } from './kit.ts';

let kit: WorkerKit;

beforeEach(async () => {
  kit = await createWorkerKit();
});
afterEach(() => kit.close());

/** What the indexes of webhook_deliveries have given by now: a transaction that has just ended counts after a moment. */
const entriesRead = async () => {
  await kit.sql('select pg_stat_force_next_flush()');
  const [row] = await kit.sql<{ read: string }>(
    `select sum(idx_tup_read) as read from pg_stat_user_indexes where relname = 'webhook_deliveries'`,
  );
  return Number(row?.read);
};

test('speed.md: a claim reads what it claims, though the table was analysed when nothing waited', async () => {
  const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: [] });
  const other = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: [] });
  const waiting = (endpointId: string, from: number, to: number) =>
    kit.sql(
      `with made as (
         insert into events (location_id, id, number, type, resource_id, body, created_at)
         select $1, uuid_v7(), n, 'product.updated', uuid_v7(), '{}', now() from generate_series($3::int, $4::int) n returning id
       )
       insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at)
       select $1, $2, id, now() - interval '1 second' from made`,
      [kit.locationId, endpointId, from, to],
    );
  await waiting(id, 1, 12_000);
  await kit.sql(`update webhook_deliveries set status = 'delivered', next_attempt_at = null`);
  await kit.database.pool.query('vacuum analyze webhook_deliveries');
  await waiting(other.id, 12_001, 14_000);
  await waiting(id, 14_001, 16_000);
  const before = await entriesRead();
  const claimed = await kit.database.session(async (on) => {
    const rows = await on.run(claimDeliveries, [
      kit.locationId,
      id,
      50,
      30_000,
      'worker',
      [],
      '-infinity',
      randomUUID(),
    ]);
    await on.run({ name: 'flush', text: 'select pg_stat_force_next_flush()' }, []);
    return rows;
  });
  expect(claimed).toHaveLength(50);
  expect(claimed.map(({ id }) => id)).toEqual(claimed.map(({ id }) => id).sort());
  expect((await entriesRead()) - before).toBeLessThan(500);
});
