import { expect, test } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { confirm, press, says } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

test('an order that is paid says before its cancellation that it stays paid, and a refund is recorded and listed', async () => {
  const { number, id, payment } = await kitchen.place();
  await api.client().payments.complete.mutate({ id: payment.id });
  const page = await desk(`orders/${number}`);
  await press(page, 'Cancel the order');
  await says(page, 'It stays paid: give the money back and record the refund.');
  await confirm(page);
  await says(page, 'canceled');
  await press(page, 'Record a refund');
  await says(page, 'It pays nothing.');
  const [amount, reason, person] = ['amount', 'reason', 'person'].map(
    (_, index) => `.dialog label:nth-of-type(${index + 1}) input`,
  );
  await page.type(amount ?? '', '2,50');
  await page.type(reason ?? '', 'Cold');
  expect(await page.evaluate(`document.querySelector('${person}').value`)).toBe('ana');
  await confirm(page);
  await says(page, 'refund recorded');
  expect(await api.client().payments.get.query({ id: payment.id, include: ['books'] })).toMatchObject({
    status: 'completed',
    refunded: 2.5,
  });
  await page.goto(`${api.url}/app/desk/orders`);
  for (const [list, title] of [
    ['canceled_and_paid', 'Canceled and paid'],
    ['refunded', 'Refunded'],
  ] as const) {
    await page.waitForSelector('#shown');
    await page.select('#shown', list);
    await page.until(
      `[...document.querySelectorAll('table')].some((table) => table.caption.innerText.includes('${title}')
        && table.querySelector('a[href$="${id}"]') !== null)`,
    );
  }
});

test('an order whose payment was rejected takes another one, which it shows beside', async () => {
  const { number, id } = await kitchen.place();
  const qr = await api.make.paymentMethod({ name: 'Pix', type: 'qr' });
  const page = await desk(`orders/${number}`);
  await press(page, 'Reject the payment');
  await confirm(page);
  await press(page, 'Take another payment');
  await page.select('.dialog select', qr);
  await confirm(page);
  await says(page, '· QR pending');
  await says(page, '· Cash rejected');
  const { payment_method_id, payments } = await api.client().orders.get.query({ id, include: ['payments'] });
  expect(payment_method_id).toBe(qr);
  expect(payments).toHaveLength(2);
});
