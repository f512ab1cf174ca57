import { expect } from 'vitest';
import { json } from '../../support/money.ts';
import type { HeardEvent } from './listener.ts';
import { centsOf, expectedReport, groupings } from './reports.ts';
import { dataIn } from './restaurant.ts';
import type { Service } from './service.ts';
import { chainOf, expectedOrder, paymentStatusOf, statusOf } from './tally.ts';

/** The first and the last day on which orders were made. */
export function daysOf({ tally }: Service): { from: string; to: string } {
  const days = tally.orders.map(({ created_at }) => created_at.slice(0, 10)).sort();
  return { from: days.at(0) ?? '', to: days.at(-1) ?? '' };
}

/** The export, whole and in pages, holds every accepted order and nothing else, oldest first. */
export async function requireExport(service: Service): Promise<void> {
  const { restaurant, tally } = service;
  const { from, to } = daysOf(service);
  const read = async (turn: number, page = '') => {
    const answer = await restaurant.call(turn, `GET /v2/orders/export?from=${from}&to=${to}${page}`);
    const exported = dataIn<{ total: number; orders: { id: string; created_at: string }[] }>(answer);
    expect(exported).toMatchObject({ from, to, total: tally.orders.length });
    return exported.orders;
  };
  const whole = await read(0);
  const byId = new Map(tally.orders.map((order) => [order.id, expectedOrder(order)]));
  expect(whole).toHaveLength(byId.size);
  expect(whole).toEqual(whole.map(({ id }) => byId.get(id)));
  const moments = whole.map(({ created_at }) => created_at);
  expect(moments).toEqual([...moments].sort());
  for (const moment of moments) expect(moment).toMatch(/-0[23]:30$/);
  const pages = [];
  for (let offset = 0; offset < whole.length; offset += 100)
    pages.push(...(await read(offset / 100, `&limit=100&offset=${offset}`)));
  expect(pages).toEqual(whole);
}

/** Every grouping of the sales report says what the books say. */
export async function requireReports(service: Service): Promise<void> {
  const { from, to } = daysOf(service);
  for (const [turn, grouping] of groupings.entries()) {
    const route = `GET /v2/sales-reports?from=${from}&to=${to}&group_by=${grouping}`;
    const report = dataIn(await service.restaurant.call(turn, route));
    expect(report, grouping).toEqual({ from, to, ...expectedReport(service.tally.orders, grouping) });
  }
}

/** The payments are those of the books, and amount to their sum. */
export async function requirePayments({ restaurant, tally }: Service): Promise<void> {
  const payments: { id: string }[] = [];
  for (let offset = 0; offset < tally.orders.length; offset += 200)
    payments.push(
      ...dataIn<{ id: string }[]>(
        await restaurant.call(offset / 200, `GET /v2/payments?limit=200&offset=${offset}`),
      ),
    );
  const byId = new Map(
    tally.orders.map((order) => [
      order.payment.id,
      {
        ...{ id: order.payment.id, order_id: order.id, payment_method_id: order.draft.method.id },
        ...{ method: order.draft.method.type, amount: json(order.cents), status: paymentStatusOf(order) },
        ...{ created_at: order.created_at, updated_at: expect.any(String) },
      },
    ]),
  );
  expect(payments).toHaveLength(byId.size);
  expect(payments).toEqual(payments.map(({ id }) => byId.get(id)));
}

/** Both lists of orders count as the books do; numbers have neither gap nor repeat. */
export async function requireLists({ restaurant, tally }: Service): Promise<void> {
  const numbers = tally.orders.map(({ number }) => number).sort((one, other) => one - other);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  for (const status of ['pending', 'ready', 'closed', 'canceled']) {
    const total = tally.orders.filter((order) => statusOf(order) === status).length;
    for (const family of [1, 2]) {
      const { body } = await restaurant.call(family, `GET /v${family}/orders?status=${status}&limit=1`);
      expect(body.pagination, status).toEqual({ limit: 1, offset: 0, total });
    }
  }
}

/** Each order was published once, with its total; its moves were published as one chain. */
export function requireOrderEvents({ tally }: Service, events: readonly HeardEvent[]): void {
  const created = events
    .filter(({ type }) => type === 'order.created')
    .map(({ data }) => [data.id, data.total]);
  expect(created.sort()).toEqual(tally.orders.map(({ id, cents }) => [id, json(cents)]).sort());
  const changes = new Map<unknown, HeardEvent['data'][]>();
  for (const { type, data } of events)
    if (type === 'order.status_changed') changes.set(data.id, [...(changes.get(data.id) ?? []), data]);
  for (const order of tally.orders) {
    const targets = chainOf(order);
    const expected = targets.map((status, index) => ({
      ...{ id: order.id, previous_status: targets[index - 1] ?? 'pending', status },
      external_id: order.draft.externalId,
    }));
    const moves = (changes.get(order.id) ?? []).sort((_, { previous_status }) =>
      previous_status === 'pending' ? 1 : -1,
    );
    expect(moves).toEqual(expected);
  }
  const paid = events.filter(({ type }) => type === 'payment.completed').map(({ data }) => data.order_id);
  const completed = tally.orders.filter((order) => paymentStatusOf(order) === 'completed');
  expect(paid.sort()).toEqual(completed.map(({ id }) => id).sort());
}

/** The total of all orders, for the report. */
export const turnover = ({ tally }: Service): number => json(centsOf(tally.orders));
