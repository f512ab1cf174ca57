import type { ComandaClient } from '@comanda/client';
import { beforeEach, expect, it } from 'vitest';
import { ClosedTurn, OpenTurn } from '../../packages/api/src/resources/turns/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { auditOf } from '../support/money.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';
import { parseStrict } from '../support/strict.ts';

// The amounts that a turn collected by method, and the cash in the drawer when it was closed.

const api = useApi();

const site = useNewPlace(api);
const kitchen = useOrderKitchen(site, 'test');
let client: ComandaClient;
beforeEach(() => {
  client = site.client();
});

/** Orders of 12.50 each, paid through a method; the ids of their payments. */
async function paid(count: number, overrides: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { payment } = await kitchen.place(overrides);
    await client.payments.complete.mutate({ id: payment.id });
    ids.push(payment.id);
  }
  return ids;
}

const current = async (query = '') => dataOf(await site.rest(`GET /v2/turns/current${query}`), 200, OpenTurn);

/** A turn with 25.00 in cash, 2.50 of it given back, and 12.50 by card. */
async function turnOfTwoMethods(): Promise<void> {
  await client.turns.open.mutate();
  const card = await client.paymentMethods.create.mutate({ name: 'Card', type: 'card' });
  const [first = ''] = await paid(2);
  await paid(1, { payment_method_id: card.id });
  await refund(first, 2.5);
}

const refund = (id: string, amount: number) =>
  client.payments.refund.mutate({ id, amount, reason: 'cold', person: 'ana', idempotencyKey: id });

it('the open turn says what was collected and given back by method, where it is asked for', async () => {
  await client.turns.open.mutate();
  expect(await current('?include=methods')).toMatchObject({ total_collected: 0, methods: [] });
  await client.turns.close.mutate();
  await turnOfTwoMethods();
  const turn = await current('?include=methods');
  expect(turn).toMatchObject({
    total_collected: 37.5,
    methods: [
      { method: 'cash', count: 2, collected: 25, refunded: -2.5 },
      { method: 'card', count: 1, collected: 12.5, refunded: 0 },
    ],
  });
  const { methods: _methods, ...plain } = turn;
  expect(await current()).toEqual(plain);
  refusalOf(await site.rest('GET /v2/turns/current?include=money'), 422, 'validation_error');
});

it('the methods of the open turn amount to the totals of its settlement', async () => {
  await turnOfTwoMethods();
  const { methods = [] } = await current('?include=methods');
  await client.turns.close.mutate();
  const [settlement] = (await client.settlements.list.query()).data;
  const { payments, total_collected } = await client.settlements.get.query({ id: settlement?.id ?? '' });
  const byMethod = (list: { method: string; count: number }[]) =>
    list.sort((one, other) => one.method.localeCompare(other.method));
  expect(
    byMethod(methods.map(({ method, count, collected }) => ({ method, count, amount: collected }))),
  ).toEqual(byMethod(payments));
  expect(methods.reduce((sum, { collected }) => sum + collected, 0)).toBe(total_collected);
});

it('a close with the counted cash returns the drawer, and the audit keeps it', async () => {
  await turnOfTwoMethods();
  const counted = { counted: 60, starting_cash: 40, open_next: true };
  const closed = parseStrict(ClosedTurn, await client.turns.close.mutate(counted));
  const drawer = { starting_cash: 40, expected: 62.5, counted: 60, difference: -2.5 };
  expect(closed).toMatchObject({ status: 'closed', total_collected: 37.5, drawer, next: { status: 'open' } });
  const entries = await auditOf(api.app.database, closed.id);
  expect(entries.at(-1)).toMatchObject({
    operation: 'turns.close',
    changes: { before: { status: 'open' }, after: { status: 'closed', ...drawer } },
  });
});

it('an exact count makes no difference of a fraction, and none is none', async () => {
  await client.turns.open.mutate();
  await paid(1);
  const drawer = { starting_cash: 0, expected: 12.5, counted: 12.51, difference: 0.01 };
  expect((await client.turns.close.mutate({ counted: 12.51 })).drawer).toEqual(drawer);
  await client.turns.open.mutate();
  expect(await client.turns.close.mutate()).not.toHaveProperty('drawer');
  // More was given back in cash than came in.
  await client.turns.open.mutate();
  const [id = ''] = (await client.payments.list.query({ status: 'completed' })).data.map(({ id }) => id);
  await refund(id, 5);
  const exact = { starting_cash: 15, expected: 10, counted: 10, difference: 0 };
  expect((await client.turns.close.mutate({ counted: 10, starting_cash: 15 })).drawer).toEqual(exact);
  await client.turns.open.mutate();
  const wrong = { data: { code: 'validation_error' } };
  await expect(client.turns.close.mutate({ counted: -1 })).rejects.toMatchObject(wrong);
  expect((await current()).status).toBe('open');
});
