import { describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { beginIn } from '../support/session.ts';
import { trials } from '../support/trials.ts';
import { both, createHistory, first } from './orders-history.ts';

const api = useApi();

/** Others may load the machine; what counts is what is found. */
const patience = trials(120_000, 900_000);

describe('the counts of orders', () => {
  const sums = async (locationId: string) => {
    const rows = await api.sql`select s.status, coalesce(sum(t.orders), 0)::int as n
      from unnest(enum_range(null::order_status)) s (status)
      left join lateral order_tally(${locationId}, order_tally_names(array[s.status]), 768, '-infinity', 'infinity') t on true
      group by 1`;
    return Object.fromEntries(rows.map(({ status, n }) => [status, n])) as Record<OrderStatus, number>;
  };

  it('are gone with their location', { timeout: patience }, async () => {
    const locationId = await api.make.location();
    await createHistory(api, locationId, 90);
    await underDeed(api.pool, 'purge: a test', 'delete from orders where location_id = $1', [locationId]);
    await api.sql('delete from locations where id = $1', [locationId]);
    const left = `select (select count(*) from internal.tallies where location_id = $1)
      + (select count(*) from internal.tally_notes where location_id = $1) as left`;
    expect((await api.sql(left, [locationId]))[0]).toEqual({ left: '0' });
  });

  it('are folded by the orders that are made, without anybody else', { timeout: patience }, async () => {
    const locationId = await api.make.location();
    const { productId: _, paymentMethodId } = await createOrderKitchen(api, locationId);
    for (let number = 1; number <= 1_500; number += 100) {
      await api.sql(
        `do $$ begin for n in ${number}..${number + 99} loop
           insert into orders (location_id, number, total, payment_method_id) values ('${locationId}', n, 1, '${paymentMethodId}');
         end loop; end $$`,
      );
    }
    const [row] = await api.sql<{ waiting: number }>`select count(*)::int as waiting from internal.tally_notes
      where location_id = ${locationId}`;
    expect(row?.waiting).toBeLessThan(1_500);
    expect((await both(api, locationId, first)).shown.total).toBe(1_500);
  });

  it('are folded at once by a statement that makes, moves or deletes the orders of hundreds of hours', async () => {
    const locations = [await api.make.location(), await api.make.location()];
    const notes = async () => {
      const left = 'select count(*)::int as notes from internal.tally_notes where location_id = any ($1)';
      return (await api.sql(left, [locations]))[0]?.notes;
    };
    for (const locationId of locations) await createOrderKitchen(api, locationId);
    const made = await api.sql`insert into orders (location_id, number, total, payment_method_id, created_at)
      select m.location_id, n, 1, m.id, now() - n * interval '1 hour'
      from generate_series(1, 300) n, payment_methods m where m.location_id = any (${locations}) returning id`;
    expect([made.length, await notes()]).toEqual([600, 0]);
    await api.sql(`update orders set status = 'ready' where location_id = any ($1)`, [locations]);
    expect(await notes()).toBe(0);
    const removal = 'delete from orders where location_id = any ($1)';
    await underDeed(api.pool, 'purge: a test', removal, [locations]);
    expect(await notes()).toBe(0);
    for (const locationId of locations)
      expect(await sums(locationId)).toEqual({ pending: 0, ready: 0, closed: 0, canceled: 0 });
  });

  it('neither wait for a transaction that is left open nor hold one up', { timeout: patience }, async () => {
    const locationId = await api.make.location();
    await createHistory(api, locationId, 90);
    const client = await beginIn(api.pool);
    const change = `update orders set status = 'ready' where location_id = $1 and number = 4`;
    await client.query(change, [locationId]);
    await client.query('select fold_tallies($1)', [locationId]);
    await api.sql(
      `set lock_timeout = '20s'; update orders set status = 'ready' where location_id = '${locationId}' and number = 8`,
    );
    await api.sql('select fold_tallies($1)', [locationId]);
    await client.query('rollback');
    const { shown, plain } = await both(api, locationId, first);
    expect(shown).toEqual(plain);
  });
});
