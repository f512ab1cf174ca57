import { newId } from '@comanda/db';
import { describe, expect, it } from 'vitest';
import { Settlement, SettlementPage } from '../../packages/api/src/resources/settlements/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';
import { parseStrict } from '../support/strict.ts';
import { words } from '../support/words.ts';

const api = useApi();
const site = useNewPlace(api, { location: { timezone: 'Asia/Kolkata' } });
const kitchen = useOrderKitchen(site, 'test');

const list = async (query = '') =>
  parseStrict(SettlementPage, (await site.rest(`GET /v2/settlements${query}`)).body);
const get = async (id: string) => dataOf(await site.rest(`GET /v2/settlements/${id}`), 200, Settlement);
const latest = async () => get((await list('?limit=1')).data[0]?.id ?? '');
const place = (methodId?: string) =>
  kitchen.place(methodId === undefined ? {} : { payment_method_id: methodId });

async function openAndClose({ turns } = site.client()): Promise<void> {
  await turns.open.mutate();
  await turns.close.mutate();
}

describe('GET /v2/settlements/{id}', () => {
  it('answers 200 with the totals of the turn when it was closed', async () => {
    const qr = await site.make.paymentMethod({ name: 'QR', type: 'qr' });
    const qrToo = await site.make.paymentMethod({ name: 'Pix', type: 'qr' });
    const turn = await site.client().turns.open.mutate();
    const orders = [await place(), await place(qr), await place(qrToo), await place(), await place()];
    for (const { payment } of orders.slice(0, 3))
      await site.client().payments.complete.mutate({ id: payment.id });
    for (const [n, status] of [
      [0, 'ready'],
      [0, 'closed'],
      [1, 'ready'],
    ] as const)
      await site.rest(`PATCH /v2/orders/${orders[n]?.id}/status`, { body: { status } });
    await site.rest(`POST /v2/orders/${orders[4]?.id}/cancel`);
    const { ended_at } = await site.client().turns.close.mutate();
    const settlement = await latest();
    expect(settlement).toEqual({
      id: settlement.id,
      turn_id: turn.id,
      batch_number: '1',
      started_at: turn.started_at,
      ended_at,
      total_orders: 5,
      total_collected: 37.5,
      average_ticket: 12.5,
      payments: [
        { method: 'cash', count: 1, amount: 12.5 },
        { method: 'qr', count: 2, amount: 25 },
      ],
      orders: { closed: 1, canceled: 1, open: 3 },
    });
    expect(settlement.started_at).toMatch(/\+05:30$/);
    expect(await site.client().settlements.get.query({ id: settlement.id })).toEqual(settlement);
  });

  it('of a turn without orders is all zeros', async () => {
    await openAndClose();
    const orders = { closed: 0, canceled: 0, open: 0 };
    const zeros = { total_orders: 0, total_collected: 0, average_ticket: 0, payments: [], orders };
    expect(await latest()).toMatchObject(zeros);
  });

  it('stays as it was frozen, and so does its turn, after any later change of the orders', async () => {
    const turn = await site.client().turns.open.mutate();
    const order = await place();
    await site.client().turns.close.mutate();
    const frozen = await latest();
    await site.client().payments.complete.mutate({ id: order.payment.id });
    await site.rest(`POST /v2/orders/${order.id}/cancel`);
    expect(await get(frozen.id)).toEqual(frozen);
    expect(frozen).toMatchObject({ total_collected: 0, orders: { open: 1 } });
    const shown = await site.client().turns.get.query({ id: turn.id });
    expect(shown).toMatchObject({ total_orders: 1, total_collected: 0 });
  });

  it('answers 404 for an unknown, a malformed, a foreign id, and for that of the turn', async () => {
    const foreign = api.client();
    await openAndClose(foreign);
    const [other] = (await foreign.settlements.list.query({})).data;
    const { id: turnId } = await site.client().turns.open.mutate();
    await site.client().turns.close.mutate();
    for (const id of [newId(), 'unknown', other?.id, turnId]) {
      refusalOf(await site.rest(`GET /v2/settlements/${id}`), 404, 'resource_not_found');
    }
  });
});

describe('GET /v2/settlements', () => {
  it('lists the latest first with exactly the documented fields and an exact total', async () => {
    expect(await list()).toEqual({ data: [], pagination: { limit: 50, offset: 0, total: 0 } });
    for (let turn = 0; turn < 3; turn++) {
      await openAndClose();
    }
    await site.client().turns.open.mutate();
    const { data, pagination } = await list();
    expect(data.map(({ batch_number }) => batch_number)).toEqual(['3', '2', '1']);
    expect(Object.keys(data[0] ?? {})).toEqual(
      words('id batch_number started_at ended_at total_orders total_collected average_ticket'),
    );
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
    expect((await list('?limit=1&offset=2')).data).toEqual(data.slice(2));
    expect(await site.client().settlements.list.query({})).toEqual({ data, pagination });
  });

  it('answers 422 for an offset that is not a number', async () => {
    refusalOf(await site.rest('GET /v2/settlements?offset=one'), 422, 'validation_error');
  });
});
