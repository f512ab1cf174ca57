import { setTimeout as sleep } from 'node:timers/promises';
import type { PrismaTransaction } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOrders } from '../../packages/api/src/resources/orders/list.statements.ts';
import type { OrderList, OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { wireTime } from '../../packages/api/src/wire.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { createOrderKitchen, postOrder } from '../support/orders.ts';
import { trials } from '../support/trials.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Others may load the machine; what counts is what is found. */
const patience = trials(120_000, 900_000);
const statuses = ['pending', 'ready', 'closed', 'canceled'] as const;
const sql = (text: string, values: unknown[] = []) => api.app.database.pool.query(text, values);
const below = (limit: number) => Math.floor(Math.random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;

/** Orders of 60 days, some at one moment, of every status; a third of them not folded yet. */
async function createHistory(locationId: string, count = 300): Promise<void> {
  const batch = { locationId, count: count / 3, from: '2025-03-01T00:00:00Z' };
  for (const prefix of ['A', 'B', 'C']) {
    await createManyOrders(api.app.database, { ...batch, prefix });
    if (prefix === 'B') await sql('select fold_order_counts($1)', [locationId]);
  }
  await sql(
    `update orders set created_at = '2025-03-01T00:00:00Z'::timestamptz + (number % 871) * interval '99 minutes',
       status = 'ready' where location_id = $1 and number % 4 > 0`,
    [locationId],
  );
  await sql(
    `update orders set status = case number % 4 when 2 then 'closed' else 'canceled' end::order_status
     where location_id = $1 and number % 4 > 1`,
    [locationId],
  );
}

function someQuery(total: number): OrderList {
  const limit = 1 + below(20);
  const from = `2025-0${oneOf([3, 4])}-${oneOf(['01', '09', '17', '25'])}`;
  return {
    limit,
    offset: oneOf([0, 1, below(total), Math.max(0, total - limit), total, total + 5]),
    sort: oneOf(['created_at', 'created_at', 'number', 'total']),
    order: oneOf(['asc', 'desc']),
    ...(below(2) === 0 && { status: oneOf(statuses) }),
    ...(below(2) === 0 && { from }),
    ...(below(2) === 0 && { to: oneOf([from, '2025-04-27', '2025-05-02']) }),
  };
}

/** What the list shows and what the plain Prisma query finds, in one snapshot. */
function both(locationId: string, query: OrderList) {
  return api.app.database.prisma.$transaction(
    async (tx) => {
      const { statement, values } = listOrders(locationId, query);
      const [shown] = await tx.$queryRawUnsafe<{ data: string; total: number }[]>(statement.text, ...values);
      const plain = await plainQuery(tx, locationId, query);
      const waiting = await tx.orderCountChange.count({ where: { locationId } });
      return {
        shown: { total: shown?.total, data: JSON.parse(shown?.data ?? '') as unknown },
        plain,
        waiting,
      };
    },
    { isolationLevel: 'RepeatableRead', timeout: 60_000, maxWait: 60_000 },
  );
}

async function plainQuery(tx: PrismaTransaction, locationId: string, query: OrderList) {
  const { timezone } = await tx.location.findUniqueOrThrow({ where: { id: locationId } });
  const day = async (date: string, more: number) =>
    (await tx.$queryRaw<{ at: Date }[]>`select day_start(${date}::date + ${more}::int, ${timezone}) as at`)[0]
      ?.at as Date;
  const where = {
    locationId,
    ...(query.status !== undefined && { status: query.status }),
    createdAt: {
      ...(query.from !== undefined && { gte: await day(query.from, 0) }),
      ...(query.to !== undefined && { lt: await day(query.to, 1) }),
    },
  };
  const column = { created_at: 'createdAt', number: 'number', total: 'total' }[query.sort];
  const rows = await tx.order.findMany({
    where,
    orderBy: [{ [column]: query.order }, { id: query.order }],
    skip: query.offset,
    take: query.limit,
    include: { payment: true },
  });
  const data = rows.map(({ id, number, status, total, createdAt, payment }) => ({
    id,
    number,
    status,
    total: total.toNumber(),
    // Offsets with seconds are shown without them: there the moment tells more than the text.
    created_at: timezone === 'Africa/Monrovia' ? expect.any(String) : wireTime(createdAt, timezone),
    payment: { id: payment?.id, status: payment?.status },
  }));
  return { total: await tx.order.count({ where }), data };
}

describe('the list by date and status', () => {
  it.each(['UTC', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Africa/Monrovia'])(
    'shows what the plain Prisma query finds on any page, for days of %s',
    async (timezone) => {
      const locationId = await createLocation(api.app.database, { timezone });
      await createHistory(locationId);
      // Before 1972 Monrovia was 44 minutes and 30 seconds behind: no border of a day is one of an hour or a quarter.
      if (timezone === 'Africa/Monrovia')
        await sql(`update orders set created_at = created_at - interval '60 years' where location_id = $1`, [
          locationId,
        ]);
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
        const { shown, plain } = await both(locationId, moved);
        expect(shown, JSON.stringify(moved)).toEqual(plain);
      }
    },
    patience,
  );

  it('stays equal while orders are made, moved, shifted and deleted by the API and by hand', {
    timeout: patience,
  }, async () => {
    const locationId = await createLocation(api.app.database, { timezone: 'Asia/Kathmandu' });
    await createHistory(locationId, 300);
    const { key } = await createKey(api.app.database, { locationId });
    const rest: TestApi['rest'] = (route, call) => api.rest(route, { key, ...call });
    const kitchen = await createOrderKitchen(api, locationId);
    const any = '(select id from orders where location_id = $1 order by random() limit 1)';
    const writers: (() => Promise<unknown>)[] = [
      () => postOrder({ rest }, { ...orderOfKitchen(kitchen) }),
      () =>
        sql(
          `update orders set status = 'ready' where location_id = $1 and status = 'pending' and id = ${any}`,
          [locationId],
        ),
      () =>
        sql(
          `update orders set status = 'canceled' where location_id = $1 and status in ('pending', 'ready') and id = ${any}`,
          [locationId],
        ),
      () =>
        sql(
          `update orders set created_at = created_at + interval '7 hours' where location_id = $1 and number % 50 = $2`,
          [locationId, below(50)],
        ),
      () => sql(`delete from orders where location_id = $1 and id = ${any}`, [locationId]),
      () =>
        sql(`update locations set timezone = $2 where id = $1`, [
          locationId,
          oneOf(['UTC', 'Asia/Kathmandu']),
        ]),
      () => sql('select fold_order_counts($1)', [locationId]),
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
        const { shown, plain, waiting } = await both(locationId, query);
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
    expect(await both(locationId, { ...first, status: 'ready' })).toHaveProperty('shown.data');
  });
});

const first: OrderList = { limit: 50, offset: 0, sort: 'created_at', order: 'desc' };

const orderOfKitchen = ({ productId, paymentMethodId }: { productId: string; paymentMethodId: string }) => ({
  external_id: `PO-${Math.random()}`,
  is_take_away: false,
  identifier: '',
  items: [{ product_id: productId, quantity: 1 }],
  payment_method_id: paymentMethodId,
});

// Two of the statements above may lock the same orders in opposite order, as they could without any count.
function deadlockOnly(error: { code?: string }): void {
  if (error.code !== '40P01') throw error;
}

async function leftOpenAndUndone(locationId: string): Promise<void> {
  const client = await api.app.database.pool.connect();
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

describe('the counts of orders', () => {
  const sums = async (locationId: string) => {
    const { rows } = await sql(
      `select coalesce(sum(pending), 0)::int as pending, coalesce(sum(ready), 0)::int as ready,
         coalesce(sum(closed), 0)::int as closed, coalesce(sum(canceled), 0)::int as canceled
       from (select * from order_tally($1, null, 768, '-infinity', 'infinity')) t,
         lateral (select pending, ready, closed, canceled from order_counts where location_id = $1 and hours = 768
           and starts_at = t.starts_at union all select pending, ready, closed, canceled from order_count_changes
           where location_id = $1 and order_stretch(768, starts_at) = t.starts_at) c`,
      [locationId],
    );
    return rows[0] as Record<OrderStatus, number>;
  };

  it('are gone with their location, and follow its orders when its id is changed', {
    timeout: patience,
  }, async () => {
    const locationId = await createLocation(api.app.database);
    await createHistory(locationId, 90);
    const before = await sums(locationId);
    const renamed = '00000000-0000-7000-8000-00000000abcd';
    await sql('update locations set id = $2 where id = $1', [locationId, renamed]);
    expect(await sums(renamed)).toEqual(before);
    expect((await both(renamed, first)).shown).toEqual((await both(renamed, first)).plain);
    await sql('delete from orders where location_id = $1', [renamed]);
    await sql('delete from locations where id = $1', [renamed]);
    const left = `select (select count(*) from order_counts where location_id = $1)
      + (select count(*) from order_count_changes where location_id = $1) as left`;
    expect((await sql(left, [renamed])).rows[0]).toEqual({ left: '0' });
  });

  it('are folded by the orders that are made, without anybody else', { timeout: patience }, async () => {
    const locationId = await createLocation(api.app.database);
    const { productId: _, paymentMethodId } = await createOrderKitchen(api, locationId);
    for (let number = 1; number <= 1_500; number += 100) {
      await sql(
        `do $$ begin for n in ${number}..${number + 99} loop
           insert into orders (location_id, number, total, payment_method_id) values ('${locationId}', n, 1, '${paymentMethodId}');
         end loop; end $$`,
      );
    }
    const { rows } = await sql(
      'select count(*)::int as waiting from order_count_changes where location_id = $1',
      [locationId],
    );
    expect(rows[0].waiting).toBeLessThan(1_500);
    expect((await both(locationId, first)).shown.total).toBe(1_500);
  });

  it('neither wait for a transaction that is left open nor hold one up', { timeout: patience }, async () => {
    const locationId = await createLocation(api.app.database);
    await createHistory(locationId, 90);
    const client = await api.app.database.pool.connect();
    try {
      await client.query('begin');
      await client.query(`update orders set status = 'ready' where location_id = $1 and number = 4`, [
        locationId,
      ]);
      await client.query('select fold_order_counts($1)', [locationId]);
      await sql(
        `set lock_timeout = '20s'; update orders set status = 'ready' where location_id = '${locationId}' and number = 8`,
      );
      await sql('select fold_order_counts($1)', [locationId]);
    } finally {
      await client.query('rollback');
      client.release();
    }
    const { shown, plain } = await both(locationId, first);
    expect(shown).toEqual(plain);
  });
});
