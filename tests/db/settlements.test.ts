import { newId } from '@comanda/db';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { events } from '../../packages/api/src/resources/events/types.schema.ts';
import { createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { averageCents, decimal, json, type RecordedOrder, recordOrder, totalOf } from '../support/money.ts';
import { prismaOf } from '../support/prisma.ts';
import { runOnce } from '../support/server.ts';
import { parseStrict } from '../support/strict.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';

const kit = useWorkerKit();

const types = ['cash', 'card', 'qr'] as const;
type Type = (typeof types)[number];

let locationId: string;
let turnId: string;
let productId: string;
let methods: Record<Type, string>;
beforeEach(async () => {
  const { database } = kit;
  locationId = await createLocation(database);
  productId = await createProduct(database, { locationId });
  const ids = await Promise.all(
    types.map(async (type) => [type, await createPaymentMethod(database, { locationId, type })] as const),
  );
  methods = Object.fromEntries(ids) as Record<Type, string>;
  ({ id: turnId } = await prismaOf(database).turn.create({ data: { locationId, batchNumber: 1 } }));
});

const close = () => kit.sql(`update turns set status = 'closed' where id = $1`, [turnId]);
const record = (given: { cents: bigint; type?: Type } & Partial<Pick<RecordedOrder, 'status' | 'paid'>>) =>
  recordOrder(
    kit.database,
    { locationId, turnId },
    {
      at: new Date(),
      methodId: methods[given.type ?? 'cash'],
      lines: [{ productId, milli: 1000n, cents: given.cents }],
      ...(given.status !== undefined && { status: given.status }),
      ...(given.paid !== undefined && { paid: given.paid }),
    },
  );
async function settled() {
  const row = await prismaOf(kit.database).settlement.findFirstOrThrow({ where: { turnId } });
  return {
    totalOrders: row.totalOrders,
    totalCollected: row.totalCollected.toFixed(2),
    averageTicket: row.averageTicket.toFixed(2),
    payments: row.payments,
    orders: row.orders,
  };
}

describe('closing a turn by plain SQL', () => {
  it('settles it to the cent, as an independent tally does', async () => {
    const orders: RecordedOrder[] = [];
    const statuses = ['closed', 'closed', 'ready', 'pending', 'canceled'] as const;
    for (let index = 0; index < 40; index++) {
      const status = statuses[index % statuses.length] ?? 'closed';
      const paid = status === 'canceled' ? 'rejected' : index % 7 === 0 ? 'pending' : 'completed';
      // Amounts whose binary sums are not exact: 0.10, 0.37, 0.64 …
      const cents = BigInt(10 + index * 27) + (index % 11 === 0 ? 999_999_999_000n : 0n);
      orders.push(await record({ cents, status, paid, type: types[index % 3] ?? 'cash' }));
    }
    await close();
    const paid = orders.filter((order) => order.paid === 'completed');
    const sum = (some: RecordedOrder[]) => some.reduce((total, order) => total + totalOf(order), 0n);
    const count = (...wanted: string[]) => orders.filter(({ status }) => wanted.includes(status)).length;
    expect(await settled()).toEqual({
      totalOrders: 40,
      totalCollected: decimal(sum(paid), 2),
      averageTicket: decimal(averageCents(sum(paid), BigInt(paid.length)), 2),
      payments: types.map((type) => {
        const some = paid.filter(({ methodId }) => methodId === methods[type]);
        return { method: type, count: some.length, amount: json(sum(some)) };
      }),
      orders: { closed: count('closed'), canceled: count('canceled'), open: count('pending', 'ready') },
    });
  });

  it.each([
    [[1, 0], '0.01'],
    [[1, 0, 0], '0.00'],
    [[1, 1, 0], '0.01'],
    [[201, 200], '2.01'],
    [[100, 100, 101], '1.00'],
    [[999_999_999_999, 999_999_999_998], '9999999999.99'],
    [[], '0.00'],
  ])('of completed payments of %j cents averages %s', async (amounts, average) => {
    for (const cents of amounts) await record({ cents: BigInt(cents) });
    await record({ cents: 777n, paid: 'pending', status: 'pending' });
    await close();
    expect((await settled()).averageTicket).toBe(average);
  });

  it('publishes the turn and its settlement, each once', async () => {
    await record({ cents: 1250n });
    await kit.startWorker();
    await close();
    const published = await waitFor('settlement.created', async () => {
      const of = await kit.events();
      const mine = of.filter(({ body }) => body.location_id === locationId);
      return mine.some(({ type }) => type === 'settlement.created') && mine;
    });
    await kit.stopWorkers();
    const about = published.filter(({ type }) => /^(turn|settlement)\./.test(type));
    expect(about.map(({ type }) => type).sort()).toEqual([
      'settlement.created',
      'turn.closed',
      'turn.open',
      'turn.updated',
    ]);
    for (const { type, body } of about) parseStrict(events[type as 'turn.closed'].data, body.data);
    const { data } = about.find(({ type }) => type === 'settlement.created')?.body ?? {};
    const row = await prismaOf(kit.database).settlement.findFirstOrThrow({ where: { turnId } });
    expect(data).toMatchObject({ id: row.id, total_amount: 12.5, total_orders: 1 });
    expect(Date.parse(String(data?.period_end))).toBe(row.endedAt.getTime());
    const closed = about.find(({ type }) => type === 'turn.closed')?.body.data;
    expect(closed).toMatchObject({ id: turnId, status: 'closed', total_orders: 1, total_collected: 12.5 });
  });

  it('settles once: an edit of a closed turn makes no second settlement', async () => {
    await close();
    await kit.sql('update turns set ended_at = ended_at + $2::interval where id = $1', [turnId, '1 minute']);
    await close();
    expect(await prismaOf(kit.database).settlement.count({ where: { turnId } })).toBe(1);
  });

  it('settles every turn that one statement closes', async () => {
    const other = await createLocation(kit.database);
    const { id } = await prismaOf(kit.database).turn.create({ data: { locationId: other, batchNumber: 9 } });
    await kit.sql(`update turns set status = 'closed' where id = any ($1)`, [[turnId, id]]);
    const made = await prismaOf(kit.database).settlement.findMany({
      where: { turnId: { in: [turnId, id] } },
    });
    expect(made.map(({ batchNumber }) => batchNumber).sort()).toEqual([1, 9]);
  });
});

describe('what the database refuses', () => {
  it('a closed turn is not opened again', async () => {
    await close();
    await expect(kit.sql(`update turns set status = 'open' where id = $1`, [turnId])).rejects.toMatchObject({
      code: 'CM001',
    });
  });

  it('a settlement is not changed', async () => {
    await close();
    const change = runOnce(kit.url, `update settlements set total_collected = 1 where turn_id = '${turnId}'`);
    await expect(change).rejects.toThrow('a settlement is frozen');
  });

  it('a turn is not closed on an older snapshot', async () => {
    const client = await kit.database.pool.connect();
    onTestFinished(async () => {
      await client.query('rollback');
      client.release();
    });
    await client.query('begin isolation level repeatable read');
    const change = client.query(`update turns set status = 'closed' where id = $1`, [turnId]);
    await expect(change).rejects.toMatchObject({ code: 'CM007' });
  });

  it('a second open turn', async () => {
    const second = prismaOf(kit.database).turn.create({ data: { locationId, batchNumber: 2 } });
    await expect(second).rejects.toThrow();
    expect(await prismaOf(kit.database).turn.count({ where: { locationId } })).toBe(1);
  });
});

it('a turn that is written closed is left to its writer', async () => {
  const id = newId();
  await prismaOf(kit.database).turn.create({
    data: { locationId, id, batchNumber: 2, status: 'closed', startedAt: new Date(), endedAt: new Date() },
  });
  expect(await prismaOf(kit.database).settlement.count({ where: { turnId: id } })).toBe(0);
});
