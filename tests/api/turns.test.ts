import { type ComandaClient, comandaError } from '@comanda/client';
import { newId } from '@comanda/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { SettlementPage } from '../../packages/api/src/resources/settlements/schema.ts';
import { Turn, TurnPage } from '../../packages/api/src/resources/turns/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { auditedBy } from '../support/audited.ts';
import { auditOf, refused, untilWaiting } from '../support/money.ts';
import { postOrder, useOrderKitchen } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';
import { beginIn } from '../support/session.ts';
import { parseStrict } from '../support/strict.ts';
import { thrownBy } from '../support/thrown.ts';

const api = useApi();
// Every test has a location of its own: one turn at most is open there.
const site = useNewPlace(api, { location: { timezone: 'America/Montevideo' } });
const kitchen = useOrderKitchen(site, 'test');

let turns: ComandaClient['turns'];
let payments: ComandaClient['payments'];
beforeEach(() => {
  ({ turns, payments } = site.client());
});

const place = () => kitchen.place();
const get = async (id: string) => dataOf(await site.rest(`GET /v2/turns/${id}`), 200, Turn);
const list = async (query = '') => parseStrict(TurnPage, (await site.rest(`GET /v2/turns${query}`)).body);
const settlements = async () =>
  parseStrict(SettlementPage, (await site.rest('GET /v2/settlements')).body).data;
const turnOf = async (orderId: string) => {
  const { turnId } = await api.prisma.order.findFirstOrThrow({ where: { id: orderId } });
  return turnId;
};

/** The outcomes of so many calls at once: the code of each refusal. */
async function outcomesOf(count: number, call: () => Promise<unknown>): Promise<unknown[]> {
  const done = Array.from({ length: count }, () => thrownBy(call()));
  return (await Promise.all(done))
    .map((error) => (error === undefined ? 'done' : comandaError(error)?.code))
    .sort();
}

describe('turns.open', () => {
  it('opens one, counts it, and says so in the audit', async () => {
    const turn = parseStrict(Turn, await turns.open.mutate());
    expect(turn).toMatchObject({ batch_number: '1', status: 'open', total_orders: 0, total_collected: 0 });
    expect(turn).not.toHaveProperty('ended_at');
    expect(turn.started_at).toMatch(/-03:00$/);
    const audited = auditedBy(site.key, 'turns.open', null, { status: 'open' });
    expect(await auditOf(api.app.database, turn.id)).toEqual([audited]);
  });

  it('is a conflict while one is open, and takes no number', async () => {
    await turns.open.mutate();
    const message = 'A turn is open already; close it first.';
    expect(await refused(turns.open.mutate())).toEqual({ code: 'conflict', message });
    await turns.close.mutate();
    expect((await turns.open.mutate()).batch_number).toBe('2');
  });

  it('of many at once opens one', async () => {
    expect(await outcomesOf(8, () => turns.open.mutate())).toEqual([...Array(7).fill('conflict'), 'done']);
    expect((await list()).data.map(({ batch_number }) => batch_number)).toEqual(['1']);
  });

  it('counts on from a turn that was written by hand', async () => {
    const [startedAt, { locationId }] = [new Date(), site];
    const closed = { batchNumber: 41, status: 'closed', startedAt, endedAt: startedAt } as const;
    await api.prisma.turn.create({ data: { locationId, ...closed } });
    expect((await turns.open.mutate()).batch_number).toBe('42');
    await turns.close.mutate();
    expect((await turns.open.mutate()).batch_number).toBe('43');
  });
});

describe('turns.close', () => {
  it('closes the open one and shows its totals', async () => {
    const { id, started_at } = await turns.open.mutate();
    const [paid] = [await place(), await place()];
    await payments.complete.mutate({ id: paid.payment.id });
    const closed = parseStrict(Turn, await turns.close.mutate());
    const totals = { total_orders: 2, total_collected: 12.5 };
    expect(closed).toMatchObject({ id, status: 'closed', started_at, ...totals });
    expect(Date.parse(closed.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(paid.created_at));
    expect(await get(id)).toEqual(closed);
    const [, entry] = await auditOf(api.app.database, id);
    expect(entry).toMatchObject({
      operation: 'turns.close',
      changes: { before: { status: 'open' }, after: { status: 'closed' } },
    });
  });

  it('is a conflict when none is open', async () => {
    expect(await refused(turns.close.mutate())).toEqual({ code: 'conflict', message: 'No turn is open.' });
  });

  it('of many at once makes one settlement', async () => {
    for (let round = 1; round <= 5; round++) {
      await turns.open.mutate();
      await place();
      const outcomes = await outcomesOf(6, () => turns.close.mutate());
      expect(outcomes).toEqual([...Array(5).fill('conflict'), 'done']);
      expect((await settlements()).map(({ batch_number }) => batch_number)[0]).toBe(String(round));
      expect(await settlements()).toHaveLength(round);
    }
  });
});

describe('orders and the end of a turn', () => {
  it('an order belongs to the turn that is open, or to none', async () => {
    const before = await place();
    const { id } = await turns.open.mutate();
    const during = await place();
    await turns.close.mutate();
    const after = await place();
    const joined = await Promise.all([before, during, after].map((order) => turnOf(order.id)));
    expect(joined).toEqual([null, id, null]);
  });

  it('an order under way keeps the turn open until it is made, and is counted', async () => {
    const { database } = api.app;
    const { id } = await turns.open.mutate();
    await place();
    const holder = await beginIn(api.pool);
    // The last lock of an order: it then holds the turn, and waits.
    const last = `select from internal.location_counters where location_id = $1 and name = 'order' for update`;
    await holder.query(last, [site.locationId]);
    const order = postOrder(site, kitchen.body());
    await untilWaiting(database, 1);
    const closing = turns.close.mutate();
    await untilWaiting(database, 2);
    await holder.query('rollback');
    expect((await order).status).toBe(201);
    expect(await closing).toMatchObject({ id, total_orders: 2 });
    expect((await settlements())[0]?.total_orders).toBe(2);
  });

  it('an order that meets a turn being closed waits, and belongs to none', async () => {
    const { database } = api.app;
    await turns.open.mutate();
    const holder = await beginIn(api.pool);
    await holder.query(`update turns set status = 'closed' where location_id = $1`, [site.locationId]);
    const order = place();
    await untilWaiting(database, 1);
    await holder.query('commit');
    expect(await turnOf((await order).id)).toBeNull();
    expect((await settlements())[0]?.total_orders).toBe(0);
  });

  it('however orders race with the end, the settlement counts exactly those of the turn', async () => {
    const { prisma } = api;
    for (let round = 0; round < 4; round++) {
      const { id } = await turns.open.mutate();
      const orders = Array.from({ length: 16 }, () => place());
      const racing = orders.map(async (order, index) => {
        const { payment } = await order;
        if (index % 2 === 0) await payments.complete.mutate({ id: payment.id });
      });
      await Promise.race(orders);
      const [closed] = await Promise.all([turns.close.mutate(), ...racing]);
      const where = { locationId: site.locationId, turnId: id };
      const mine = await prisma.order.findMany({ where });
      expect(closed.total_orders).toBe(mine.length);
      const frozen = await prisma.settlement.findFirstOrThrow({ where });
      const counted = { closed: 0, canceled: 0, open: mine.length };
      expect(frozen).toMatchObject({ totalOrders: mine.length, orders: counted });
      expect(frozen.totalCollected.toNumber()).toBe(closed.total_collected);
      for (const { createdAt } of mine) {
        expect(createdAt.getTime()).toBeLessThanOrEqual(frozen.endedAt.getTime());
      }
    }
  });
});

describe('GET /v2/turns', () => {
  it('lists the newest first, with an exact total', async () => {
    const made: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      made.unshift((await turns.open.mutate()).id);
      if (turn < 2) await turns.close.mutate();
    }
    const { data, pagination } = await list();
    expect(data.map(({ id }) => id)).toEqual(made);
    expect(data.map(({ status }) => status)).toEqual(['open', 'closed', 'closed']);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
    expect((await list('?limit=1&offset=1')).data.map(({ id }) => id)).toEqual([made[1]]);
    expect(await turns.list.query({})).toEqual(await list());
  });

  it('breaks ties by id, downwards', async () => {
    const startedAt = new Date('2026-01-31T12:00:00Z');
    const ids = [newId(), newId(), newId()].sort();
    const closed = { locationId: site.locationId, status: 'closed', startedAt, endedAt: startedAt } as const;
    await api.prisma.turn.createMany({
      data: ids.map((id, index) => ({ ...closed, id, batchNumber: index + 1 })),
    });
    expect((await list()).data.map(({ id }) => id)).toEqual(ids.reverse());
  });

  it('answers 422 for a limit out of range', async () => {
    const message = refusalOf(await site.rest('GET /v2/turns?limit=201'), 422, 'validation_error');
    expect(message).toBe('limit: must be 1 to 200');
  });
});

describe('GET /v2/turns/current', () => {
  it('answers 200 with the open turn and its totals so far', async () => {
    const { id } = await turns.open.mutate();
    const order = await place();
    await payments.complete.mutate({ id: order.payment.id });
    const current = dataOf(await site.rest('GET /v2/turns/current'), 200, Turn);
    expect(current).toMatchObject({ id, total_orders: 1, total_collected: 12.5 });
    expect(await turns.getCurrent.query()).toEqual(current);
  });

  it('answers 404 when none is open', async () => {
    refusalOf(await site.rest('GET /v2/turns/current'), 404, 'resource_not_found');
    await turns.open.mutate();
    await turns.close.mutate();
    refusalOf(await site.rest('GET /v2/turns/current'), 404, 'resource_not_found');
  });
});
