import type { Grant } from '@comanda/client';
import { expect, test } from 'vitest';
import { confirm, fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

const made = (name: string, permissions: Grant[]) => api.make.key({ name, permissions });
const statusOf = async (key: string, path = 'orders') => (await api.rest(`GET /v2/${path}`, { key })).status;
const grantsOf = async (id: string) => (await api.client().keys.get.query({ id })).permissions;
const shownOnce = (page: AppPage) =>
  page.evaluate<string>(`document.querySelector('.once output').textContent`);
/** The box of a permission. */
const box = (name: string) =>
  `[...document.querySelectorAll('fieldset label')].find((each) => each.innerText.includes('${name}'))`;

test('a key could be made for three uses, and for nothing else', async () => {
  const page = await desk('keys');
  await fill(page, 'Name', 'Waiter');
  await page.select('.desk form select', 'choice');
  await says(page, 'Details: 0 of ');
  await page.until(`${box('orders:read')} !== undefined`);
  // Nothing is picked: nothing can be made.
  expect(await page.evaluate(`document.querySelector('.desk form button').disabled`)).toBe(true);
  await page.evaluate(`${box('orders:read')}.click(); ${box('menus:read')}.click()`);
  await press(page, 'Make a key');
  await says(page, 'The new key: Waiter.');
  const key = await shownOnce(page);
  expect(await statusOf(key)).toBe(200);
  expect(await statusOf(key, 'payments')).toBe(403);
  expect(page.complaints).toEqual([]);
});

test('a key for a job is made with an end, and outlives the session', async () => {
  const page = await desk('keys');
  await fill(page, 'Name', 'Kitchen tablet');
  await page.select('.desk form select', 'kitchen');
  await says(page, 'Shows the orders and moves them on.');
  await says(page, 'Details: 6 of ');
  // Each permission of the job is ticked, with a sentence, under its resource.
  expect(await page.evaluate(`${box('orders:write')}.querySelector('input').checked`)).toBe(true);
  expect(await page.evaluate(`${box('orders:write')}.innerText`)).toContain('Places and cancels orders');
  expect(await page.evaluate(`${box('payments:write')}.querySelector('input').checked`)).toBe(false);
  await press(page, 'Make a key');
  await says(page, 'The new key: Kitchen tablet.');
  const key = await shownOnce(page);
  const { data } = await api.client().keys.list.query({ limit: 200 });
  const made = data.find(({ name }) => name === 'Kitchen tablet');
  const days = (Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '')) / 86_400_000;
  expect(days).toBeCloseTo(90, 2);
  // The list says what it is for.
  await page.until(
    `[...document.querySelectorAll('tbody td')].some((each) => each.innerText === 'Kitchen screen')`,
  );
  await api.client().keys.revoke.mutate({ id: data.findLast(({ name }) => name === 'app: ana')?.id ?? '' });
  expect(await statusOf(key)).toBe(200);
  expect(await statusOf(key, 'payments')).toBe(403);
});

test('a key of a job with one permission less has the others', async () => {
  const page = await desk('keys');
  await fill(page, 'Name', 'Counter');
  await page.select('.desk form select', 'stock');
  await says(page, 'Details: 3 of ');
  await page.evaluate(`${box('stock:sync')}.click()`);
  await says(page, 'Details: 2 of ');
  await press(page, 'Make a key');
  await says(page, 'The new key: Counter.');
  const { permissions } = await api.client(await shownOnce(page)).limits.get.query();
  expect(permissions).toEqual(['products:read', 'stock:read']);
});

test('a key ends after the day that is given, in the time zone of the restaurant', async () => {
  const page = await desk('keys');
  await fill(page, 'Name', 'Fair');
  await page.evaluate(`document.querySelectorAll('.desk form select')[1].id = 'ends'`);
  await page.select('#ends', 'day');
  await page.waitForSelector('.desk form input[type=date]');
  const day = await page.evaluate<string>(`document.querySelector('.desk form input[type=date]').min`);
  // A browser writes the whole day at once, as its calendar does.
  await page.evaluate(`{
    const field = document.querySelector('.desk form input[type=date]');
    Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value').set.call(field, '${day}');
    field.dispatchEvent(new window.Event('input', { bubbles: true }));
  }`);
  await press(page, 'Make a key');
  await says(page, 'The new key: Fair.');
  const { data } = await api.client().keys.list.query({ limit: 200 });
  const made = data.find(({ name }) => name === 'Fair');
  expect(made?.expires_at).toContain(`${day}T23:59:00`);
});

test('a key that may too much was narrowed at the command line alone', async () => {
  const { id, key } = await made('Too wide', ['orders:*', 'stock:*', 'payments:read']);
  const page = await desk('keys');
  await says(page, 'Too wide');
  await page.evaluate(`document.querySelector('a[href="/app/desk/keys/${id}"]').click()`);
  await page.until(`${box('payments:read')} !== undefined`);
  await page.evaluate(`${box('payments:read')}.click(); ${box('orders:export')}.click()`);
  await press(page, 'Save');
  // A grant that keeps all of its permissions stays as it was.
  await expect.poll(() => grantsOf(id)).toEqual(['orders:read', 'orders:write', 'orders:pause', 'stock:*']);
  await expect.poll(() => statusOf(key, 'payments')).toBe(403);
  expect(await statusOf(key)).toBe(200);
  // A removed permission is gone from the boxes: there is no way to give it back here.
  await page.until(`${box('payments:read')} === undefined`);
  expect(page.complaints).toEqual([]);
});

test('a key that another session narrowed meanwhile is shown before it is narrowed again', async () => {
  const { id } = await made('Of two', ['orders:read', 'orders:write', 'stock:read']);
  const page = await desk(`keys/${id}`);
  await page.until(`${box('orders:read')} !== undefined`);
  await page.evaluate(`${box('orders:read')}.click()`);
  await api.client().keys.narrow.mutate({ id, permissions: ['orders:read', 'stock:read'] });
  await press(page, 'Save');
  await says(page, 'Someone else changed it meanwhile.');
  expect(await grantsOf(id)).toEqual(['orders:read', 'stock:read']);
});

test('what another session took from another resource of the key stays taken', async () => {
  const { id } = await made('Of three', ['orders:read', 'products:read', 'stock:read']);
  const page = await desk(`keys/${id}`);
  await page.until(`${box('orders:read')} !== undefined`);
  await page.evaluate(`${box('orders:read')}.click()`);
  await api.client().keys.narrow.mutate({ id, permissions: ['orders:read', 'stock:read'] });
  await press(page, 'Save');
  await expect.poll(() => grantsOf(id)).toEqual(['stock:read']);
});

test('a leaked key was replaced at the command line alone', async () => {
  const { id, key } = await api.client().keys.create.mutate({ name: 'ERP 2', permissions: ['orders:*'] });
  const page = await desk(`keys/${id}`);
  await press(page, 'Replace ERP 2');
  await page.waitForSelector('.dialog select');
  await says(page, 'A key without an end is made by: comanda keys rotate');
  await page.select('.dialog select', '0');
  await confirm(page);
  await says(page, 'The new key: ERP 2.');
  const next = await shownOnce(page);
  expect(await statusOf(next)).toBe(200);
  await expect.poll(() => statusOf(key)).toBe(401);
  const { data } = await api.client().keys.list.query({ limit: 200 });
  const lives = data
    .filter(({ name, expires_at }) => name === 'ERP 2' && Date.parse(expires_at ?? '') > Date.now())
    .map(({ created_at, expires_at = '' }) => (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000);
  expect(lives).toEqual([expect.closeTo(90, 2)]);
  await press(page, 'Revoke ERP 2');
  await confirm(page);
  await says(page, 'revoked');
  await page.until(`document.querySelector('article button') === null`);
  expect(page.complaints).toEqual([]);
});

test('the key of another person is not replaced: the audit knows the person by it', async () => {
  const { id } = await made('app: bob', ['orders:read']);
  const page = await desk(`keys/${id}`);
  await says(page, 'Revoke');
  expect(await page.text()).not.toContain('Replace');
});

test('a key that sees every type of event is held to its permissions', async () => {
  const { id } = await api.make.key({ name: 'Old', permissions: ['events:read'], allEventTypes: true });
  const page = await desk(`keys/${id}`);
  await press(page, 'Show it only the types of its permissions');
  await confirm(page);
  const types = async () => (await api.client().keys.get.query({ id })).event_types;
  await expect.poll(types).toBe('by_permission');
});

test('the desk speaks Spanish', async () => {
  const { id } = await made('ERP', ['orders:*']);
  const page = await desk(`keys/${id}`, { language: 'es' });
  for (const text of ['Qué puede hacer', 'Reemplazar', 'Todas las claves', 'Empieza con'])
    await says(page, text);
  await page.goto(`${api.url}/app/desk/keys`);
  for (const text of ['ERP: recibe pedidos, envía productos', 'Detalles: ', 'Hace y cancela pedidos'])
    await says(page, text);
});
