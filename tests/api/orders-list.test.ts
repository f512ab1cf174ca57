import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OrderList } from '../../packages/api/src/resources/orders/schema.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { trials } from '../support/trials.ts';
import { both, createHistory, first } from './orders-history.ts';

const api = useApi();

/** Others may load the machine; what counts is what is found. */
const patience = trials(120_000, 900_000);
const statuses = ['pending', 'ready', 'closed', 'canceled'] as const;
const several: OrderList['status'][] = [['pending', 'closed'], ['closed', 'ready', 'closed'], [...statuses]];
const repair = (text: string, values: unknown[]) =>
  underDeed(api.pool, 'repair: orders of other days', text, values);
const below = (limit: number) => Math.floor(Math.random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;

function someQuery(total: number): OrderList {
  const limit = 1 + below(20);
  const from = `2025-0${oneOf([3, 4])}-${oneOf(['01', '09', '17', '25'])}`;
  return {
    limit,
    offset: oneOf([0, 1, below(total), Math.max(0, total - limit), total, total + 5]),
    sort: oneOf(['created_at', 'created_at', 'number', 'total']),
    order: oneOf(['asc', 'desc']),
    ...(below(2) === 0 && { status: oneOf<OrderList['status']>([...statuses, ...several]) }),
    ...(below(2) === 0 && { from }),
    ...(below(2) === 0 && { to: oneOf([from, '2025-04-27', '2025-05-02']) }),
  };
}

describe('the list by date and status', () => {
  it.each(['UTC', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Africa/Monrovia'])(
    'shows what the plain Prisma query finds on any page, for days of %s',
    async (timezone) => {
      const locationId = await api.make.location({ timezone });
      await createHistory(api, locationId);
      // Before 1972 Monrovia was 44 minutes and 30 seconds behind: no border of a day is one of an hour or a quarter.
      if (timezone === 'Africa/Monrovia')
        await repair(
          `update orders set created_at = created_at - interval '60 years' where location_id = $1`,
          [locationId],
        );
      for (let trial = 0; trial < trials(15, 400); trial++) {
        const query = someQuery(300);
        const past = (date: string) => date.replace('2025', '1965');
        const moved =
          timezone === 'Africa/Monrovia'
            ? {
                ...query,
                ...(query.from !== undefined && { from: past(query.from) }),
                ...(query.to !== undefined && { to: past(query.to) }),
              }
            : query;
        const { shown, plain } = await both(api, locationId, moved);
        expect(shown, JSON.stringify(moved)).toEqual(plain);
      }
    },
    patience,
  );

  it('stays equal while orders are made, moved, shifted and deleted by the API and by hand', {
    timeout: patience,
  }, async () => {
    const place = await api.place({ location: { timezone: 'Asia/Kathmandu' } });
    const { locationId } = place;
    await createHistory(api, locationId, 300);
    const kitchen = await createOrderKitchen(place);
    const any = '(select id from orders where location_id = $1 order by random() limit 1)';
    const writers: (() => Promise<unknown>)[] = [
      () => kitchen.post(),
      () =>
        api.sql(
          `update orders set status = 'ready' where location_id = $1 and status = 'pending' and id = ${any}`,
          [locationId],
        ),
      () =>
        api.sql(
          `update orders set status = 'canceled' where location_id = $1 and status in ('pending', 'ready') and id = ${any}`,
          [locationId],
        ),
      () =>
        repair(
          `update orders set created_at = created_at + interval '7 hours' where location_id = $1 and number % 50 = $2`,
          [locationId, below(50)],
        ),
      () =>
        underDeed(api.pool, 'purge: a test', `delete from orders where location_id = $1 and id = ${any}`, [
          locationId,
        ]),
      () =>
        api.sql`update locations set timezone = ${oneOf(['UTC', 'Asia/Kathmandu'])} where id = ${locationId}`,
      () => api.sql('select fold_tallies($1)', [locationId]),
      () => leftOpenAndUndone(locationId),
    ];
    let writing = true;
    let written = 0;
    const work = writers.map(async (write) => {
      while (writing) {
        await write().catch(deadlockOnly);
        written += 1;
        await sleep(5);
      }
    });
    const seen = new Set<number>();
    let unfolded = 0;
    try {
      for (let trial = 0; trial < trials(40, 800); trial++) {
        const query = someQuery(300);
        const { shown, plain, waiting } = await both(api, locationId, query);
        expect(shown, JSON.stringify(query)).toEqual(plain);
        seen.add(written);
        unfolded += waiting > 0 ? 1 : 0;
      }
    } finally {
      writing = false;
      await Promise.all(work);
    }
    expect(seen.size, 'snapshots between which something was written').toBeGreaterThan(trials(10, 200));
    expect(unfolded, 'snapshots that held changes not folded yet').toBeGreaterThan(5);
    expect(await both(api, locationId, { ...first, status: 'ready' })).toHaveProperty('shown.data');
  });
});

// Two of the statements above may lock the same orders in opposite order, as they could without any count.
function deadlockOnly(error: { code?: string }): void {
  if (error.code !== '40P01') throw error;
}

async function leftOpenAndUndone(locationId: string): Promise<void> {
  const client = await api.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `update orders set status = 'ready' where location_id = $1 and status = 'pending' and number % 3 = 0`,
      [locationId],
    );
    await sleep(20);
  } finally {
    await client.query('rollback');
    client.release();
  }
}
