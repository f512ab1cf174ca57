import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { trials } from '../support/trials.ts';
import { statuses, useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const rounds = trials(6, 60);
const guests = 6;

interface Settlement {
  id: string;
  total_collected: number;
  refunds?: { amount: number };
}

interface Entry {
  kind: 'payment' | 'refund';
  payment_id: string;
  amount: number;
}

const post = (server: number, path: string, body: object = {}) =>
  two.call(server, `POST ${path}`, { body, headers: { 'idempotency-key': randomUUID() } });
const data = <Data>({ status, text }: Answer): Data => {
  if (status >= 300) throw new Error(text);
  const body = JSON.parse(text);
  return body.result?.data ?? body.data;
};
const sum = (entries: readonly { amount: number }[]) =>
  Math.round(entries.reduce((all, { amount }) => all + amount, 0) * 100) / 100;

it('payments, refunds, second payments and edits beside a closing are each in one settlement, to the cent', async () => {
  const productId = await createProduct(two.database, { locationId: two.locationId });
  const rows = { productId, paymentMethodId: two.paymentMethodId };
  const place = async (server: number) => orderOf(await post(server, '/v2/orders', orderBody(rows)));
  const complete = (server: number, id: string) => post(server, `/v2/payments/${id}/complete`);
  const refund = (server: number, id: string, amount: number) =>
    post(server, `/v2/payments/${id}/refund`, { amount, reason: 'Cold' });
  let collected = 0;
  let refunded = 0;
  for (let round = 0; round < rounds; round += 1) {
    data(await post(0, '/trpc/turns.open'));
    const orders = await Promise.all(Array.from({ length: guests * 3 }, (_, index) => place(index)));
    const [paid, open, declined] = [0, 1, 2].map((part) => orders.slice(part * guests, (part + 1) * guests));
    for (const { payment } of paid ?? []) data(await complete(0, payment.id));
    for (const { payment } of declined ?? []) data(await post(1, `/v2/payments/${payment.id}/reject`));
    const closings = [post(round, '/trpc/turns.close'), post(round + 1, '/trpc/turns.close')];
    const work = await Promise.all([
      // Two refunds that fit, and one that does not fit beside them: of 12.50, never more than 12.50.
      ...(paid ?? []).flatMap(({ payment }, index) => [
        refund(index, payment.id, 5),
        refund(index + 1, payment.id, 5),
        refund(index, payment.id, 5),
      ]),
      ...(open ?? []).flatMap(({ id, payment }, index) => [
        complete(index, payment.id),
        two.call(index + 1, `PATCH /v2/orders/${id}`, { body: { note: 'By the window' } }),
      ]),
      ...(declined ?? []).map((order, index) =>
        post(index, `/v2/orders/${order.id}/payments`, { payment_method_id: two.paymentMethodId }),
      ),
    ]);
    expect(statuses(await Promise.all(closings))).toEqual({ 200: 1, 409: 1 });
    expect(statuses(work)).toEqual({ 200: guests * 4, 201: guests, 409: guests });
    collected += guests * 2 * 12.5;
    refunded += guests * 2 * 5;
  }
  // What came after a closing is the next turn's.
  data(await post(0, '/trpc/turns.open'));
  data(await post(0, '/trpc/turns.close'));
  const settlements = data<Settlement[]>(await two.call(0, 'GET /v2/settlements?limit=200'));
  expect(settlements).toHaveLength(rounds + 1);
  const all: Entry[] = [];
  for (const { id } of settlements) {
    const settlement = data<Settlement>(await two.call(1, `GET /v2/settlements/${id}`));
    const entries = data<Entry[]>(await two.call(1, `GET /v2/settlements/${id}/entries?limit=200`));
    expect(settlement.total_collected).toBe(sum(entries.filter(({ kind }) => kind === 'payment')));
    expect(settlement.refunds?.amount ?? 0).toBe(sum(entries.filter(({ kind }) => kind === 'refund')));
    all.push(...entries);
  }
  const payments = all.filter(({ kind }) => kind === 'payment');
  expect(new Set(payments.map(({ payment_id }) => payment_id)).size).toBe(payments.length);
  expect(sum(payments)).toBe(collected);
  expect(sum(all.filter(({ kind }) => kind === 'refund'))).toBe(-refunded);
}, 180_000);
