import { expect, it } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
it('smokes', async () => {
  const api = await startTestApi();
  const c = api.client();
  console.log(await c.turns.open.mutate());
  const k = await createOrderKitchen(api);
  const o = await placeOrder(api, k, { channel: 'kiosk' });
  await placeOrder(api, k);
  console.log(await c.payments.complete.mutate({ id: o.payment.id }));
  console.log(await c.paymentMethods.create.mutate({ name: 'x', type: 'qr' }));
  console.log(await c.paymentMethods.update.mutate({ id: k.paymentMethodId, name: 'y' }));
  console.log((await api.rest('GET /v2/payments?method=cash&limit=1')).text);
  console.log(await c.turns.close.mutate());
  const s = await api.rest<any>('GET /v2/settlements');
  console.log(s.text, (await api.rest('GET /v2/settlements/' + s.body.data[0].id)).text);
  for (const g of ['day', 'product', 'category', 'payment_method', 'channel'])
    console.log((await api.rest('GET /v2/sales-reports?from=2020-01-01&to=2100-01-01&group_by=' + g)).text);
  console.log((await api.rest('GET /v2/sales-reports?to=2100-01-01')).text);
  console.log(JSON.stringify(await api.app.database.prisma.auditEntry.findMany(), null, 1));
  console.log((await api.rest('GET /v2/turns/current')).text, (await api.rest('GET /v2/turns')).text);
  await api.close();
  expect(1).toBe(1);
});
