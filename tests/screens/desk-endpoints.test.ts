import { describe, expect, test } from 'vitest';
import { useConsumer } from '../support/consumer.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { waitFor } from '../support/wait.ts';
import { confirm, fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';
import { setPermissions } from './session-keys.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);
let answer = 200;
const consumer = useConsumer((_, response) => {
  response.statusCode = answer;
  response.end();
});

const endpoints = () => api.client().webhookEndpoints;
const lastAudit = async () => (await api.client().audit.list.query({ limit: 1 })).data[0];
const made = async (events: ['order.created'] | ['turn.open'] = ['order.created']) =>
  (await endpoints().create.mutate({ url: consumer.url, events })).id;
const withoutOthers = async () => {
  const { data } = await endpoints().list.query({ limit: 200 });
  for (const { id } of data) await endpoints().delete.mutate({ id });
};
/** Opens the folded part of that title. */
const unfold = async (page: AppPage, title: string) => {
  const find = `[...document.querySelectorAll('summary')].find((each) => each.innerText.startsWith('${title}'))`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.click()`);
};
/** The box of an event type. */
const box = (type: string) =>
  `[...document.querySelectorAll('fieldset label')].find((each) => each.innerText.includes('(${type})'))`;
const tick = (page: AppPage, type: string) => page.evaluate(`${box(type)}.click()`);

describe('a webhook', () => {
  test('is made with the events that are ticked, its secret shown once, and answers a test event', async () => {
    const page = await desk('endpoints');
    await unfold(page, 'New webhook');
    await fill(page, 'Address (https)', consumer.url);
    await tick(page, 'order.status_changed');
    await tick(page, 'payment.created');
    await press(page, 'Make the webhook');
    await says(page, 'The new signing secret');
    await page.until(`location.pathname.startsWith('/app/desk/endpoints/')`);
    const id = (await page.evaluate<string>('location.pathname')).split('/').at(-1) ?? '';
    expect(await endpoints().get.query({ id })).toMatchObject({
      url: consumer.url,
      events: ['order.created', 'payment.created'],
      status: 'active',
    });
    answer = 200;
    await press(page, 'Send a test event');
    await says(page, 'Test event: delivered (200), in');
    await says(page, 'webhook.test');
    answer = 500;
    await press(page, 'Send a test event');
    await says(page, 'Test event: failed (500), in');
    answer = 200;
    expect(page.complaints).toEqual([]);
    await endpoints().delete.mutate({ id });
  });

  test('whose address is refused is not made, and the sentence says why', async () => {
    const page = await desk('endpoints');
    const before = (await endpoints().list.query({})).pagination.total;
    await unfold(page, 'New webhook');
    await fill(page, 'Address (https)', 'erp.example.com');
    await press(page, 'Make the webhook');
    await page.until(`document.querySelector('.edit .fault').innerText !== ''`);
    expect((await endpoints().list.query({})).pagination.total).toBe(before);
  });

  test('gets other events and another address, unless somebody changed it meanwhile', async () => {
    const id = await made();
    const page = await desk(`endpoints/${id}`);
    await unfold(page, 'Address and events');
    await tick(page, 'stock.updated');
    await press(page, 'Save');
    const eventsNow = async () => (await endpoints().get.query({ id })).events;
    await expect.poll(eventsNow).toEqual(['order.created', 'stock.updated']);
    await page.until(`${box('stock.updated')}.querySelector('input').checked`);
    await fill(page, 'Address (https)', `${consumer.url}mine`);
    await endpoints().update.mutate({ id, url: `${consumer.url}theirs` });
    await press(page, 'Save');
    await says(page, 'Someone else changed it meanwhile.');
    expect((await endpoints().get.query({ id })).url).toBe(`${consumer.url}theirs`);
    await endpoints().delete.mutate({ id });
  });

  test('is paused and enabled, gets another secret at once, and is deleted', async () => {
    const id = await made();
    const page = await desk(`endpoints/${id}`);
    const statusNow = async () => (await endpoints().get.query({ id })).status;
    await press(page, 'Pause');
    await says(page, 'Nothing is sent to it until it is enabled');
    await confirm(page);
    await expect.poll(statusNow).toBe('disabled');
    // A paused webhook gets no test.
    const test = `[...document.querySelectorAll('button')].some((each) => each.innerText === 'Send a test event')`;
    await page.until(`!${test}`);
    await press(page, 'Enable');
    await expect.poll(statusNow).toBe('active');
    await press(page, 'New secret');
    await page.waitForSelector('.dialog select');
    await page.select('.dialog select', 'ends');
    await confirm(page);
    await page.waitForSelector('.once output');
    expect(await lastAudit()).toMatchObject({ operation: 'webhookEndpoints.rotateSecret', by: 'ana' });
    const [kept] = await api.sql<{ count: number }>(
      `select count(*)::int as count from internal.webhook_secrets
       where endpoint_id = $1 and (expires_at is null or expires_at > now())`,
      [id],
    );
    expect(kept?.count).toBe(1);
    await press(page, 'Delete');
    await says(page, 'Delete the webhook');
    await confirm(page);
    await page.until(`location.pathname === '/app/desk/endpoints'`);
    await expect
      .poll(async () => (await endpoints().list.query({})).data.map((each) => each.id))
      .not.toContain(id);
    expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  test('is only looked at by a key that may not change it', async () => {
    const id = await made();
    const page = await desk('orders');
    await setPermissions(api, page, ['orders:read', 'webhooks:read', 'events:read', 'locations:read']);
    await page.goto(`${api.url}/app/desk/endpoints/${id}`);
    await says(page, consumer.url);
    const text = await page.text();
    for (const deed of ['Send a test event', 'Pause', 'New secret', 'Delete', 'Save'])
      expect(text).not.toContain(deed);
    await page.goto(`${api.url}/app/desk/endpoints`);
    await says(page, consumer.url);
    expect(await page.text()).not.toContain('New webhook');
    await endpoints().delete.mutate({ id });
  });

  test('events that the person may not see are not offered', async () => {
    const page = await desk('orders');
    await setPermissions(api, page, ['orders:read', 'webhooks:*', 'events:read', 'locations:read']);
    await page.goto(`${api.url}/app/desk/endpoints`);
    await unfold(page, 'New webhook');
    await page.until(`${box('order.created')} !== undefined`);
    expect(await page.evaluate(`${box('payment.created')} === undefined`)).toBe(true);
    expect(await page.text()).not.toContain('whom an order is for');
  });
});

describe('the plot of a webhook', () => {
  /** Stores attempts of past hours: `count` of a status, so many hours ago. */
  async function attempts(id: string, all: readonly [status: string, hoursAgo: number, count: number][]) {
    for (const [status, hoursAgo, count] of all)
      await api.sql(
        `with delivery as (
          insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
          select $1, $2, (select id from events where location_id = $1 limit 1), 'dead', 1 from generate_series(1, $5::int)
          returning id, endpoint_id, event_id
        )
        insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, duration_ms, attempted_at)
        select $1, id, endpoint_id, event_id, 'order.created', 1, $3::delivery_status, 5, now() - make_interval(hours => $4)
        from delivery`,
        [api.locationId, id, status, hoursAgo, count],
      );
  }

  test('has the attempts of 24 hours by hour and result, and the same as a table', async () => {
    await kitchen.place();
    await api.published();
    const id = await made(['turn.open']);
    await attempts(id, [
      ['delivered', 0, 5],
      ['failed', 2, 3],
      ['dead', 2, 1],
      ['delivered', 30, 7],
    ]);
    const page = await desk(`endpoints/${id}`);
    await says(page, '5 delivered, 3 failed and tried again, 1 given up');
    const bars = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.hours rect')].map((each) => Math.round(Number(each.getAttribute('height'))))`,
    );
    expect(bars.filter((height) => height > 0)).toEqual([58, 19, 96]);
    await unfold(page, 'As a table');
    const rows = `[...document.querySelectorAll('.hours tbody tr')].map((row) => [...row.querySelectorAll('td')].map((each) => each.innerText).join())`;
    await page.until(`${rows}.length === 24`);
    expect((await page.evaluate<string[]>(rows)).filter((row) => row !== '0,0,0')).toEqual([
      '0,3,1',
      '5,0,0',
    ]);
    expect(await page.text()).not.toContain('Only the newest');
    await endpoints().delete.mutate({ id });
  });

  test('of more attempts than are read says so', async () => {
    const id = await made(['turn.open']);
    await attempts(id, [['delivered', 1, 1_001]]);
    const page = await desk(`endpoints/${id}`);
    await says(page, 'Only the newest 1000 attempts are counted.');
    await endpoints().delete.mutate({ id });
  });
});

describe('an order says why its events were not sent', () => {
  const settled = async (number: number, status: string) =>
    waitFor(`a delivery to be ${status}`, async () => {
      const { deliveries } = await api.client().orders.overview.query({ number });
      return deliveries.some((each) => each.status === status);
    });

  test('where there is no webhook, none was subscribed, or it was paused', async () => {
    await withoutOthers();
    const { number } = await kitchen.place();
    await api.published();
    const page = await desk(`orders/${number}`);
    await says(page, 'There is no webhook, so nothing was sent of order.created');
    const id = await made(['turn.open']);
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(page, 'No endpoint was subscribed to order.created');
    await endpoints().update.mutate({ id, events: ['order.created'], status: 'disabled' });
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(page, `${consumer.url} is paused, so it did not get order.created.`);
    await endpoints().update.mutate({ id, status: 'active' });
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(
      page,
      `${consumer.url} did not get order.created: it was subscribed or enabled only afterwards.`,
    );
    expect(await page.text()).not.toContain('Nothing here');
    // It gets what was published before it was subscribed, where that is asked for.
    await page.goto(`${api.url}/app/desk/endpoints`);
    await press(page, 'Send what it missed');
    await page.waitForSelector('.dialog input');
    await page.evaluate(`document.querySelector('.dialog input').click()`);
    await confirm(page);
    await settled(number, 'delivered');
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(page, `order.created → ${consumer.url}: sent again by ana`);
    await endpoints().delete.mutate({ id });
  });

  test('to one endpoint, where another got them', async () => {
    await withoutOthers();
    const [got, other] = [
      await made(),
      await endpoints().create.mutate({ url: `${consumer.url}erp`, events: ['turn.open'] }),
    ];
    const { number } = await kitchen.place();
    await settled(number, 'delivered');
    const page = await desk(`orders/${number}`);
    await says(page, `${consumer.url}erp was not subscribed to order.created`);
    for (const id of [got, other.id]) await endpoints().delete.mutate({ id });
  });

  test('where its delivery was dropped, and who sent it again', async () => {
    await withoutOthers();
    const id = await made();
    answer = 500;
    const { number } = await kitchen.place();
    await settled(number, 'dead');
    const page = await desk(`orders/${number}`);
    answer = 200;
    await press(page, 'Send again order.created');
    await says(page, `order.created → ${consumer.url}: sent again by ana`);
    await settled(number, 'delivered');
    // A retry that waits gives way.
    await api.sql(
      `update webhook_deliveries set status = 'dropped' where location_id = $1 and endpoint_id = $2 and status = 'dead'`,
      [api.locationId, id],
    );
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(page, 'It was sent again before its next attempt, so this one ended.');
    await api.sql(`delete from webhook_deliveries where location_id = $1 and endpoint_id = $2 and replayed`, [
      api.locationId,
      id,
    ]);
    await page.goto(`${api.url}/app/desk/orders/${number}`);
    await says(page, 'It waited when the webhook was paused, and is not sent any more.');
    await endpoints().delete.mutate({ id });
  });
});

test('the desk speaks Spanish', async () => {
  const id = await made();
  const page = await desk(`endpoints/${id}`, { language: 'es' });
  for (const text of ['Enviar un evento de prueba', 'Dirección y eventos', 'Pausar', 'se hizo un pedido'])
    await says(page, text);
  await endpoints().delete.mutate({ id });
});
