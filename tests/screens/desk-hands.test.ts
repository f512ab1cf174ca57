import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { press, says } from './actions.ts';
import { useDesk } from './app.ts';
import { mayBeLeft } from './links.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

/** Looks away and back, after which what is old is read again. */
const lookAgain = `dispatchEvent(new Event('visibilitychange'))`;
/** For so long what was read is not read again. */
const freshMs = 6_000;
const keysNamed = async (name: string) => (await api.sql`select from api_keys where name = ${name}`).length;

test('what was typed into the location is not lost when another session changes it', async () => {
  const page = await desk('location');
  const field = (at: number) => `.desk form label:nth-of-type(${at}) input`;
  await page.waitForSelector(field(1));
  await page.type(field(1), ' of Ana');
  const { id } = await api.client().locations.getCurrent.query();
  await api.client().locations.update.mutate({ id, timezone: 'Europe/Lisbon' });
  await page.skip(freshMs);
  const zone = `${lookAgain}; document.querySelector('${field(2)}').value`;
  await expect.poll(() => page.evaluate<string>(zone)).toBe('Europe/Lisbon');
  expect(await page.evaluate<string>(`document.querySelector('${field(1)}').value`)).toMatch(/ of Ana$/);
  await press(page, 'Save');
  await page.until(`document.querySelector('.place').textContent.endsWith(' of Ana')`);
  expect(await api.client().locations.getCurrent.query()).toMatchObject({ timezone: 'Europe/Lisbon' });
});

test('a restaurant that was renamed elsewhere kept its old name until the next sign-in', async () => {
  const page = await desk('orders');
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`update locations set name = 'Bar Bea' where id = $1`, [api.locationId]);
  await hand.close();
  await page.skip(freshMs);
  const name = `${lookAgain}; document.querySelector('.place').textContent`;
  await expect.poll(() => page.evaluate<string>(name)).toBe('Bar Bea');
  expect(await page.evaluate(`JSON.parse(sessionStorage.getItem('comanda.session')).location.name`)).toBe(
    'Bar Bea',
  );
});

test('a double tap makes one key', async () => {
  const page = await desk('keys');
  await page.waitForSelector('.desk form input');
  await page.type('.desk form input', 'Twice');
  await page.evaluate(
    `for (const tap of [1, 2]) document.querySelector('.desk form').requestSubmit(); undefined`,
  );
  await page.waitForSelector('.once output');
  await page.until(`!document.querySelector('.desk form button').disabled`);
  expect(await keysNamed('Twice')).toBe(1);
});

test('a double tap moves an order once, and nothing is refused', async () => {
  const { number } = await kitchen.place();
  const page = await desk(`orders/${number}`);
  await says(page, 'Mark as ready');
  await page.evaluate(
    `{ const button = [...document.querySelectorAll('.order button')].find((each) => each.textContent === 'Mark as ready');
       button.click(); button.click(); }`,
  );
  await says(page, 'pending → ready');
  await page.until(`document.querySelector('.order .deeds button:disabled') === null`);
  expect(await page.evaluate(`document.querySelectorAll('.notice').length`)).toBe(0);
});

test('a key that is made while another is shown took its place: that one was never seen again', async () => {
  const page = await desk('keys');
  await page.waitForSelector('.desk form input');
  for (const [at, name] of ['First', 'Second'].entries()) {
    await page.type('.desk form input', name);
    await press(page, 'Make a key');
    await says(page, `The new key: ${name}.`);
    expect(await page.evaluate(`document.querySelectorAll('.once output').length`)).toBe(at + 1);
  }
  await press(page, 'Put away');
  await says(page, 'The new key: First.');
  await page.until(`!document.body.innerText.includes('The new key: Second.')`);
  expect(await page.text()).toContain('The new key: First.');
});

test('a key that is shown once was lost when another part of the desk was looked at', async () => {
  const page = await desk('keys', { screens: ['desk', 'board'] });
  await page.waitForSelector('.desk form input');
  expect(await page.evaluate(mayBeLeft)).toBe(true);
  await page.type('.desk form input', 'Till 9');
  await press(page, 'Make a key');
  await says(page, 'The new key: Till 9.');
  const shown = `document.querySelector('.once output').textContent`;
  const text = await page.evaluate<string>(shown);
  const follow = (to: string) => page.evaluate(`document.querySelector('a[href="${to}"]').click()`);
  await follow('/app/desk/orders');
  await page.waitForSelector('.desk search');
  expect(await page.evaluate(shown)).toBe(text);
  await follow('/app/board');
  await page.until(`document.querySelector('.desk') === null`);
  expect(await page.evaluate(mayBeLeft)).toBe(false);
  await follow('/app/desk');
  await page.until(`document.querySelector('.once output') !== null`);
  expect(await page.evaluate(shown)).toBe(text);
  expect(await page.evaluate(`JSON.stringify([sessionStorage, localStorage, location.href])`)).not.toContain(
    text,
  );
  await press(page, 'Put away');
  await page.until(`document.querySelector('.once') === null && ${mayBeLeft}`);
});

test('a list ended after its first page: more of it is shown when asked for', async () => {
  await api.sql(
    `insert into api_keys (location_id, name, prefix, key_hash, permissions)
     select $1, 'Till ' || n, 'cmd_live_till' || n, sha256(('till' || n)::bytea), '{orders:read}'
     from generate_series(1, 250) n`,
    [api.locationId],
  );
  const page = await desk('keys');
  await page.waitForSelector('.desk tbody tr');
  const rows = () => page.evaluate<number>(`document.querySelectorAll('.desk tbody tr').length`);
  expect(await rows()).toBe(100);
  await press(page, 'Show more');
  await expect.poll(rows).toBe(200);
  await press(page, 'Show more');
  await expect.poll(rows).toBeGreaterThan(250);
  expect(await page.text()).not.toContain('Show more');
  expect(await page.text()).toContain('Till 250');
  expect(page.complaints).toEqual([]);
});

test('a percent sign in the address left the page empty', async () => {
  const page = await desk('orders/100%');
  await says(page, 'There is no order 100%');
});

test('the field names the order that is shown, after the button that leads back, too', async () => {
  const [one, other] = [await kitchen.place(), await kitchen.place()];
  const page = await desk(`orders/${one.number}`);
  await page.waitForSelector('.order');
  await page.evaluate(`document.querySelector('.desk input').select()`);
  await page.type('.desk input', String(other.number));
  await press(page, 'Find');
  await says(page, `Order ${other.number}`);
  await page.evaluate('history.back()');
  await says(page, `Order ${one.number}`);
  await page.until(`document.querySelector('.desk input').value === '${one.number}'`);
});

test('undoing by keys goes on where it was: the focus is not lost with the button', async () => {
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`update products set name = 'Flat whit' where id = $1`, [kitchen.productId]);
  await hand.close();
  const page = await desk('audit');
  await says(page, 'Flat whit');
  await page.evaluate(
    `[...document.querySelectorAll('td button')].find((each) => each.textContent === 'Undo…').focus()`,
  );
  await page.keyboard.press('Enter');
  await says(page, 'This would be written:');
  await page.until(
    `document.activeElement.tagName === 'DIV' && document.activeElement.textContent.includes('Undo it')`,
  );
});
