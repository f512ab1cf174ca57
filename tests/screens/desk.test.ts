import { describe, expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { waitFor } from '../support/wait.ts';
import { confirm, press, says } from './actions.ts';
import { useDesk } from './app.ts';
import { isRevoked, setPermissions } from './session-keys.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);
let answer = 200;
const consumer = useConsumer((_, response) => {
  response.statusCode = answer;
  response.end();
});

const lastAudit = async () => (await api.client().audit.list.query({ limit: 1 })).data[0];

const endpoint = async () =>
  (await api.client().webhookEndpoints.create.mutate({ url: consumer.url, events: ['order.created'] })).id;

describe('an order', () => {
  test('is found by its number and by its external id, with all that belongs to it', async () => {
    const endpointId = await endpoint();
    const order = await kitchen.place();
    await waitFor('the delivery', () => consumer.received.length > 0);
    const page = await desk('orders');
    await page.type('.desk input', String(order.number));
    await press(page, 'Find');
    await says(page, `Order ${order.number}`);
    const link = await page.evaluate<string>(`document.querySelector('.order header a').hash`);
    expect(decodeURIComponent(link)).toContain(order.id);
    for (const text of ['pending', order.external_id ?? '', 'order.created', 'delivered', 'made by'])
      await says(page, text);
    await page.goto(`${api.url}/app/desk/orders/${encodeURIComponent(order.external_id ?? '')}`);
    await says(page, `Order ${order.number}`);
    await page.goto(`${api.url}/app/desk/orders/none-such`);
    await says(page, 'There is no order none-such');
    await api.client().webhookEndpoints.delete.mutate({ id: endpointId });
    expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    expect([...page.hosts]).toEqual([new URL(api.url).host]);
  });

  test('is moved, paid and canceled with a reason, and nothing is offered then', async () => {
    const [one, other] = [await kitchen.place(), await kitchen.place()];
    const page = await desk(`orders/${one.number}`);
    await press(page, 'Mark as ready');
    await says(page, 'pending → ready by app: ana');
    await press(page, 'Complete the payment');
    await confirm(page);
    await says(page, 'completed');
    expect((await lastAudit())?.key_name).toBe('app: ana');
    await page.goto(`${api.url}/app/desk/orders/${other.number}`);
    await press(page, 'Cancel the order');
    await page.waitForSelector('.dialog input');
    await page.type('.dialog input', 'The guest left.');
    await page.keyboard.press('Enter');
    await page.until(`document.querySelector('.dialog') === null`);
    await says(page, 'The guest left.');
    expect(await page.evaluate(`document.querySelectorAll('.order > .deeds button').length`)).toBe(0);
    expect(await api.client().orders.get.query({ id: other.id })).toMatchObject({ status: 'canceled' });
  });

  test('that another admin has canceled meanwhile is shown as it is', async () => {
    const order = await kitchen.place();
    const page = await desk(`orders/${order.number}`);
    await says(page, 'Mark as ready');
    await page.setOfflineMode(true);
    await api.client().orders.cancel.mutate({ id: order.id });
    await page.setOfflineMode(false);
    await says(page, 'canceled');
  });

  test('is sent again to a consumer that did not take it', async () => {
    const endpointId = await endpoint();
    answer = 500;
    const order = await kitchen.place();
    const page = await desk(`orders/${order.number}`);
    await waitFor('it to be given up', async () => {
      const { deliveries } = await api.client().orders.overview.query({ id: order.id });
      return deliveries.some(({ status }) => status === 'dead');
    });
    await page.goto(`${api.url}/app/desk/orders/${order.number}`);
    await says(page, 'given up');
    answer = 200;
    await press(page, 'Send again order.created');
    await says(page, 'delivered');
    expect(await lastAudit()).toMatchObject({ operation: 'deliveries.retry', key_name: 'app: ana' });
    await api.client().webhookEndpoints.delete.mutate({ id: endpointId });
  });
});

test('an endpoint gets what it missed, and another secret, which is shown once', async () => {
  const endpointId = await endpoint();
  answer = 500;
  const { number } = await kitchen.place();
  await waitFor('it to be given up', async () => {
    const { deliveries } = await api.client().orders.overview.query({ number });
    return deliveries.some(({ status }) => status === 'dead');
  });
  answer = 200;
  const page = await desk('endpoints');
  await says(page, '1 given up');
  await press(page, 'Send what it missed');
  await confirm(page);
  await says(page, '1 event is sent again.');
  await press(page, 'New secret');
  await confirm(page);
  await page.waitForSelector('.once output');
  expect(await page.evaluate(`document.querySelector('.once output').textContent`)).toMatch(/^whsec_/);
  await press(page, 'Put away');
  await page.until(`document.querySelector('.once') === null`);
  expect((await lastAudit())?.operation).toBe('webhookEndpoints.rotateSecret');
  await api.client().webhookEndpoints.delete.mutate({ id: endpointId });
});

test('a key is made, shown once, works, and is revoked', async () => {
  const page = await desk('keys');
  await page.waitForSelector('.desk form input');
  await page.type('.desk form input', 'POS of the terrace');
  await page.select('.desk form select', 'stock');
  await says(page, 'Reads products and sets their stock.');
  await press(page, 'Make a key');
  await page.waitForSelector('.once output');
  const text = await page.evaluate<string>(`document.querySelector('.once output').textContent`);
  const { permissions } = await api.client(text).limits.get.query();
  expect(permissions).toEqual(['products:read', 'stock:read', 'stock:sync']);
  await press(page, 'Revoke POS of the terrace');
  await confirm(page);
  await says(page, 'revoked');
  await isRevoked(api, text);
});

describe('a failed job', () => {
  /** A job that failed for want of a category, which is there now. */
  async function failed(category: string): Promise<string> {
    const { syncJobs, categories } = api.client();
    const { job_id: id } = await syncJobs.startProducts.mutate({
      items: [{ external_id: category, name: 'Tea', price: 1, category_external_ids: [category] }],
      idempotencyKey: `a job for ${category}`,
    });
    await waitFor('the job to fail', async () => (await syncJobs.get.query({ id })).status === 'failed');
    await categories.create.mutate({ name: category, external_id: category, priority: 0, visible: true });
    return id;
  }
  const isOffered = `[...document.querySelectorAll('td button')].some((each) => each.textContent === 'Try again')`;

  test('is tried again', async () => {
    await failed('DRINKS');
    const page = await desk('jobs');
    await press(page, 'Try again');
    await says(page, '1 of 1, 0 failed');
    await says(page, 'completed');
    await expect.poll(lastAudit).toMatchObject({ operation: 'syncJobs.retry', key_name: 'app: ana' });
  });

  test('that another admin tried again is refused with the reason, and shown as it is', async () => {
    const id = await failed('CAKES');
    const page = await desk('jobs');
    await page.until(isOffered);
    await page.setOfflineMode(true);
    await press(page, 'Try again');
    await api.client().syncJobs.retry.mutate({ id });
    await page.setOfflineMode(false);
    await page.until(`document.querySelector('.notice')?.innerText.includes('It has moved on meanwhile.')`);
    await page.until(`!${isOffered}`);
  });
});

test('the location is edited; what is wrong is said in a sentence', async () => {
  const page = await desk('location');
  const zone = '.desk form label:nth-of-type(2) input';
  await page.waitForSelector(zone);
  await page.evaluate(
    `document.querySelector('${zone}').focus(); document.querySelector('${zone}').select()`,
  );
  await page.type(zone, 'Nowhere/Land');
  await press(page, 'Save');
  await says(page, 'must be an IANA time zone');
  await page.evaluate(`document.querySelector('${zone}').select()`);
  await page.type(zone, 'America/Montevideo');
  await press(page, 'Save');
  await waitFor('the change', async () => (await lastAudit())?.operation === 'locations.update');
  expect(await api.client().locations.getCurrent.query()).toMatchObject({ timezone: 'America/Montevideo' });
  const name = '.desk form label:nth-of-type(1) input';
  await page.type(name, ' of Ana');
  await press(page, 'Save');
  await page.until(`document.querySelector('.place').textContent.endsWith(' of Ana')`);
});

test('a manual edit is rehearsed, then undone, and both names are in the audit', async () => {
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`update products set name = 'Flat whit' where id = $1`, [kitchen.productId]);
  const page = await desk('audit', { name: 'bea' });
  await says(page, 'Flat whit');
  await press(page, 'Undo…');
  await says(page, 'This would be written:');
  await press(page, 'Undo it');
  await waitFor('the undo', async () => {
    const [row] = await api.sql`select name from products where id = ${kitchen.productId}`;
    return row?.name !== 'Flat whit';
  });
  const { data } = await api.client().audit.list.query({ limit: 3 });
  const undone = data.map(({ undo_of, key_name }) => [undo_of !== undefined, key_name]);
  expect(undone).toContainEqual([true, undefined]);
  expect(undone).toContainEqual([false, 'app: bea']);
  await hand.close();
  // One row more than before: the list is still there.
  await says(page, 'undid an earlier change');
  expect(page.complaints).toEqual([]);
});

test('an order changed by hand is named by its number, which leads to it', async () => {
  const { id, number } = await kitchen.place();
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`update orders set channel = 'window' where id = $1`, [id]);
  await hand.close();
  const page = await desk('audit');
  await says(page, `changed the channel of ${number}`);
  await says(page, 'The page of an order shows who moved it, and when.');
  await page.click(`td strong a[href$="/orders/${number}"]`);
  await says(page, `Order ${number}`);
});

test('a key that may not see a part is not shown it', async () => {
  const page = await desk('orders');
  await setPermissions(api, page, ['orders:read']);
  await page.goto(`${api.url}/app/desk/keys`);
  await page.until(`document.querySelectorAll('.desk nav a').length === 1`);
  expect(await page.text()).not.toContain('Make a key');
});
