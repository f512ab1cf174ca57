import { describe, expect, onTestFinished, test } from 'vitest';
import { superuserUrl } from '../support/database.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { withClient } from '../support/sql.ts';
import { useClosed } from '../support/use.ts';
import { startProxy } from '../worker/proxy.ts';
import { type AppPage, useBoards } from './app.ts';
import { cancelButton, column, live, moveButton } from './board-page.ts';

// The board shows the true state, after any failure on the way.

const { api, opened, board, place, link } = useBoards();
const wire = useClosed(() => startProxy(api.url));

describe('when the way to the service is cut', () => {
  test.each([
    ['it goes on where it stopped', false],
    ['and the feed no longer has the place, it reads the board again', true],
  ])('%s, without a reload', async (_what, isForgotten) => {
    const address = (await link()).replace(api.url, new URL(wire.url).origin);
    const page = await opened({}, address);
    await page.until(live);
    const order = await place();
    await page.until(`${column(order.number)} === 'pending'`);
    wire.cut();
    await page.until(`document.querySelector('.live.waiting') !== null`);
    await api.client().orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    const meanwhile = await place();
    await api.published();
    if (isForgotten) await forgetEvents();
    wire.mend();
    await page.skip(5_000);
    await page.until(`${column(order.number)} === 'ready' && ${column(meanwhile.number)} === 'pending'`);
    await page.until(live);
    const later = await place();
    await page.until(`${column(later.number)} === 'pending'`);
  });
});

/** As if they were older than those that are kept. */
const forgetEvents = () =>
  withClient(superuserUrl(api.databaseUrl), (client) =>
    client.query(`begin; select deed('repair: as after 30 days'); delete from events; commit`),
  );

describe('an order that comes', () => {
  test('while the board is read for the first time is on it', async () => {
    const page = await opened({ prepare: holding({ answers: 'orders.list' }) });
    await page.until(live);
    const came = api
      .client()
      .events.watch({ types: ['order.created'] })
      .next();
    const { number } = await place();
    await came;
    await page.evaluate('letGo()');
    await page.until(`${column(number)} === 'pending'`);
  });

  test('after the board was read and before its stream began is on it', async () => {
    const page = await opened({ prepare: holding({ answers: 'orders.list', questions: 'events/stream' }) });
    await page.until('asked.some((url) => url.includes("orders.list"))');
    const { number } = await place();
    await api.published();
    await page.evaluate('letGoQuestions()');
    await page.until(live);
    await page.evaluate('letGo()');
    await page.until(`${column(number)} === 'pending'`);
  });

  test('while another screen is shown is there on the way back', async () => {
    const page = await board();
    await page.click('nav a[href="/app/day"]');
    await page.until(`document.querySelector('.day') !== null`);
    const { number } = await place();
    await api.published();
    await page.click('nav a[href="/app/board"]');
    await page.until(`${column(number)} === 'pending'`);
  });
});

// Keeps the answers to some questions from the page, or the questions from the service, until they are let go.
const holding =
  ({ answers, questions = 'nothing' }: { answers: string; questions?: string }) =>
  (page: AppPage) =>
    page.evaluateOnNewDocument(`
      window.asked = [];
      const ask = window.fetch;
      const answers = new Promise((done) => { window.letGo = done; });
      const questions = new Promise((done) => { window.letGoQuestions = done; });
      window.fetch = async (...words) => {
        const url = String(words[0]);
        if (url.includes('${questions}')) await questions;
        const answer = await ask(...words);
        asked.push(url);
        if (url.includes('${answers}')) await answers;
        return answer;
      };`);

test.each([
  ['that comes while the board is open', false],
  ['that was there before it was opened', true],
])('an order %s shows what was chosen, and its channel', async (_when, isThere) => {
  const productId = await api.make.product();
  const { itemIds } = await api.make.subselection({
    productId,
    maxSelection: 5,
    single: false,
    items: [{ name: 'Without onion' }, { name: 'Cheese', max: 3 }],
  });
  const [onion, cheese] = itemIds;
  const chosen = [onion, cheese].map((item_id, n) => ({ item_id, quantity: n + 1 }));
  const order = () =>
    place({ channel: 'kiosk', items: [{ product_id: productId, quantity: 1, subselections: chosen }] });
  const before = isThere ? await order() : undefined;
  const page = await board();
  const { number, id } = before ?? (await order());
  const card = `document.querySelector('article[data-number="${number}"]')?.innerText`;
  await page.until(`${card}?.includes('Without onion, 2 Cheese') && ${card}.includes('kiosk')`);
  // Its move is an event without them.
  await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
  await page.until(`${column(number)} === 'ready' && ${card}.includes('Without onion, 2 Cheese')`);
});

test('an order is canceled after a question, and given back by the board', async () => {
  const page = await board();
  const { id, number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  await page.click(cancelButton(number));
  await page.waitForSelector('.dialog');
  expect(await page.text()).toContain(`Cancel order ${number}?`);
  await page.click('.dialog button:not(.primary)');
  expect(await api.client().orders.get.query({ id })).toMatchObject({ status: 'pending' });
  await page.until(`document.querySelector('.dialog') === null`);
  await page.click(cancelButton(number));
  await page.waitForSelector('.dialog');
  await page.click('.dialog .primary');
  await page.until(`document.querySelector('article[data-number="${number}"]') === null`);
  await expect.poll(() => api.client().orders.get.query({ id })).toMatchObject({ status: 'canceled' });
});

describe('with many orders', () => {
  const handOver = async ({ id }: { id: string }) => {
    await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
    await api.client().orders.updateStatus.mutate({ id, status: 'closed' });
  };

  test('one that is handed over is first among those that were, though it is older', async () => {
    const { number, ...order } = await place();
    await api.client().orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    await Promise.all(Array.from({ length: 10 }, async () => handOver(await place())));
    const page = await board();
    await page.until(`document.querySelectorAll('.column.closed article').length === 10`);
    await page.click(moveButton(number));
    await page.until(`document.querySelector('.column.closed article').dataset.number === '${number}'`);
    await expect
      .poll(() => api.client().orders.get.query({ id: order.id }))
      .toMatchObject({ status: 'closed' });
    expect(await page.evaluate(column(number))).toBe('closed');
  });

  test('new ones are shown, however many wait to be handed over', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    await createManyOrders(api.app.database, { locationId: api.locationId, count: 201, from });
    // The other tests have a board of the usual size.
    onTestFinished(async () => {
      await api.sql`update orders set status = 'closed' where location_id = ${api.locationId} and status = 'ready'`;
    });
    await api.sql`update orders set status = 'ready' where location_id = ${api.locationId} and status = 'pending'`;
    const { number } = await place();
    const page = await board();
    await page.until(`${column(number)} === 'pending'`);
    const hidden = `/and \\d+ more/.exec(document.querySelector('.column.ready').innerText)?.[0]`;
    const before = Number(/\d+/.exec(await page.evaluate<string>(hidden))?.[0]);
    expect(before).toBeGreaterThan(0);
    expect(await page.evaluate(`document.querySelector('.column.ready h2').innerText`)).toBe(
      `Ready 200 of ${200 + before}`,
    );
    await page.click('.column.ready .move');
    await page.until(
      `(${hidden} ?? 'and 0 more') === 'and ${before - 1} more' || ${before} === 1 && ${hidden} === undefined`,
    );
  });
});
