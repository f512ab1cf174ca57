import { describe, expect, test } from 'vitest';
import { thrownBy } from '../support/thrown.ts';
import { says } from './actions.ts';
import { type AppPage, useBoards } from './app.ts';
import { live } from './board-page.ts';
import { takePermission } from './session-keys.ts';

// The day says what was sold and what was collected, and its turn is opened and closed there.

const { api, opened, place, link } = useBoards();

const pay = async (order: { id: string }) => {
  const { payment } = await api.client().orders.get.query({ id: order.id });
  await api.client().payments.complete.mutate({ id: payment.id });
};

async function press(page: AppPage, where: string, name: string): Promise<void> {
  const find = `[...document.querySelectorAll('${where} button')].find(({ innerText }) => innerText === '${name}')`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.click()`);
}

async function day(language: string): Promise<AppPage> {
  const page = await opened({ language }, await link({ screens: ['day'] }));
  await page.until(live);
  await page.until(`document.querySelector('.turn') !== null`);
  return page;
}

const closeIfOpen = () => thrownBy(api.client().turns.close.mutate());

describe.each([
  {
    language: 'en',
    open: 'Open a turn',
    close: 'Close the turn',
    missing: 'is missing',
    sales: 'Sales',
    collected: 'Collected',
    cash: 'Cash',
    none: 'No turn is open',
    wrong: 'An amount has',
    left: (orders: number, payments: number) => `Still open: orders ${orders}, payments ${payments}.`,
  },
  {
    language: 'es',
    open: 'Abrir un turno',
    close: 'Cerrar el turno',
    missing: 'Faltan',
    sales: 'Ventas',
    collected: 'Cobrado',
    cash: 'Efectivo',
    none: 'No hay un turno',
    wrong: 'Un importe',
    left: (orders: number, payments: number) => `Quedan abiertos: pedidos ${orders}, pagos ${payments}.`,
  },
])('in $language', ({ language, open, close, ...texts }) => {
  test('a turn is opened, collects what was paid and not what was sold, and is closed with a count', async () => {
    await closeIfOpen();
    const page = await day(language);
    await says(page, texts.none);
    await press(page, '.turn', open);
    await page.until(`document.querySelector('.turn tfoot') !== null`);
    const [paid] = [await place(), await place()];
    await pay(paid);
    const row = `document.querySelector('[aria-labelledby=turn] tbody tr')`;
    await page.hurry(`${row}?.cells[2].innerText.includes('12')`);
    expect(await page.evaluate(`${row}.cells[0].innerText`)).toBe(texts.cash);
    const collected = `[...document.querySelectorAll('.totals div')].map(({ innerText }) => innerText).join()`;
    await page.hurry(
      `${collected}.includes('${texts.sales}') && ${collected}.includes('${texts.collected}')`,
    );
    await press(page, '.turn', close);
    await page.waitForSelector('.dialog');
    const [{ pagination: orders }, { pagination: payments }] = await Promise.all([
      api.client().orders.list.query({ status: 'pending' }),
      api.client().payments.list.query({ status: 'pending' }),
    ]);
    expect(payments.total).toBeGreaterThan(0);
    await says(page, texts.left(orders.total, payments.total));
    const inputs = '.dialog label:nth-of-type';
    await page.type(`${inputs}(1) input`, '100');
    await page.type(`${inputs}(2) input`, '1x');
    await says(page, texts.wrong);
    expect(await page.evaluate(`document.querySelector('.dialog .primary').disabled`)).toBe(true);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('10,25');
    await says(page, texts.missing);
    expect(await page.evaluate(`document.querySelector('.dialog [role=status] strong').innerText`)).toMatch(
      /2[.,]25/,
    );
    await press(page, '.dialog', close);
    await page.until(`document.querySelector('.turn [role=status]')?.innerText.includes('${texts.missing}')`);
    const [latest, before] = (await api.client().turns.list.query({ limit: 2 })).data;
    expect([latest?.status, before]).toEqual([
      'open',
      expect.objectContaining({ status: 'closed', total_orders: 2, total_collected: 12.5 }),
    ]);
    const { data } = await api.client().audit.list.query({ limit: 5 });
    const entry = data.find(({ operation }) => operation === 'turns.close');
    expect(entry?.by).toBe('ana');
    expect(JSON.stringify(entry?.changes)).toMatch(/110\.25.*-2\.25|-2\.25.*110\.25/s);
    await page.hurry(`document.querySelectorAll('.turn').length === 2`);
    expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});

test('cash that was given back is not expected in the drawer', async () => {
  await closeIfOpen();
  await api.client().turns.open.mutate();
  const { id, payment } = await place();
  await pay({ id });
  await api.client().payments.refund.mutate({
    id: payment.id,
    amount: 2.5,
    reason: 'Cold',
    person: 'ana',
    idempotencyKey: `refund of ${id}`,
  });
  const page = await day('en');
  await page.hurry(`document.querySelector('.turn tfoot')?.innerText.includes('12.50')`);
  await press(page, '.turn', 'Close the turn');
  await page.waitForSelector('.dialog');
  await page.type('.dialog label:nth-of-type(1) input', '100');
  await page.type('.dialog label:nth-of-type(2) input', '110');
  await says(page, 'The count is exact.');
});

test('a key that may not open or close turns sees no button for it', async () => {
  await closeIfOpen();
  await api.client().turns.open.mutate();
  const page = await day('en');
  await page.until(`document.querySelector('.turn button') !== null`);
  await takePermission(api, page, 'turns:write');
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.querySelector('.turn tfoot') !== null`);
  await page.until(live);
  expect(await page.evaluate(`document.querySelectorAll('.turn button').length`)).toBe(0);
});

test('a day stands beside the same day of the week before, or another one that is chosen', async () => {
  await place();
  const page = await day('en');
  await page.until(`document.querySelectorAll('.bars').length === 4`);
  const [today, before] = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.day header input')].map(({ value }) => value)`,
  );
  expect(Date.parse(today ?? '') - Date.parse(before ?? '')).toBe(7 * 86_400_000);
  const sales = `[...document.querySelectorAll('.bars tbody tr')].map(({ cells }) => [cells[2].textContent, cells[3].textContent])`;
  expect((await page.evaluate<string[][]>(sales)).every(([, then]) => then === '$0.00')).toBe(true);
  expect(await page.evaluate(`document.querySelector('.change')`)).toBeNull();
  // A day is chosen by the setter of the browser and an event: React takes a value that is set otherwise for its own.
  await page.evaluate(`(() => {
    const input = document.querySelectorAll('.day header input')[1];
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '${today}');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
  await says(page, '0% against');
  for (const [now, then] of await page.evaluate<string[][]>(sales)) expect(then).toBe(now);
});
