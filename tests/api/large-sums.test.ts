import { expect, it } from 'vitest';
import { Settlement, SettlementPage } from '../../packages/api/src/resources/settlements/schema.ts';
import { Turn } from '../../packages/api/src/resources/turns/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { recordOrder } from '../support/money.ts';
import { createOrderKitchen, orderBody, orderOf, postOrder } from '../support/orders.ts';
import { parseStrict } from '../support/strict.ts';

/** The largest amount that an order may have, in cents, and more of them than a million million. */
const largest = 999_999_999_999n;
const count = 101;

const api = useApi();

it('a turn that collected 101 payments of the largest amount is shown, closed, settled and reported', async () => {
  const { locationId, rest } = api;
  const { database } = api.app;
  const { turns, payments } = api.client();
  const { productId, paymentMethodId } = await createOrderKitchen(api);
  const { id: turnId } = await turns.open.mutate();
  await api.prisma.product.update({
    where: { locationId_id: { locationId, id: productId } },
    data: { price: '9999999999.99' },
  });
  const lines = [{ productId, milli: 1_000n, cents: largest }];
  for (let more = 1; more < count; more += 1) {
    const given = { at: new Date(), methodId: paymentMethodId, lines };
    await recordOrder(database, { locationId, turnId }, given);
  }
  const made = orderOf(await postOrder(api, orderBody({ productId, paymentMethodId })));
  await payments.complete.mutate({ id: made.payment.id });

  const sum = Number(`${largest * BigInt(count)}`) / 100;
  expect(sum).toBe(1_009_999_999_998.99);
  const collected = { total_orders: count, total_collected: sum };
  expect(dataOf(await rest('GET /v2/turns/current'), 200, Turn)).toMatchObject(collected);
  expect(await turns.close.mutate()).toMatchObject(collected);
  const [settled] = parseStrict(SettlementPage, (await rest('GET /v2/settlements')).body).data;
  const settlement = dataOf(await rest(`GET /v2/settlements/${settled?.id}`), 200, Settlement);
  expect(settlement).toMatchObject({ ...collected, average_ticket: 9_999_999_999.99 });
  expect(settlement.payments).toEqual([{ method: 'cash', count, amount: sum }]);
  expect(await turns.open.mutate()).toMatchObject({ batch_number: '2' });

  const today = new Date().toISOString().slice(0, 10);
  for (const grouping of ['day', 'product', 'payment_method']) {
    const report = await rest(`GET /v2/sales-reports?from=${today}&to=${today}&group_by=${grouping}`);
    expect(report.status, report.text).toBe(200);
    expect(report.body).toMatchObject({
      data: { total_orders: count, total_amount: sum, rows: [{ orders: count, amount: sum }] },
    });
  }
}, 120_000);
