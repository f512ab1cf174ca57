import { expect, test } from 'vitest';
import { superuserUrl } from '../support/database.ts';
import { withClient } from '../support/sql.ts';
import { useBoards } from './app.ts';
import { column, live, moveButton } from './board-page.ts';
import { keyOf, setPermissions, takePermission } from './session-keys.ts';

// What a card says of itself: that it is new, and why it cannot be moved.

const { api, link, opened, board, place } = useBoards();

const card = (number: number) => `document.querySelector('article[data-number="${number}"]')`;
const isFresh = (number: number) => `${card(number)}.classList.contains('fresh')`;
const why = (number: number) => `${card(number)}.querySelector('.why')?.innerText`;
const turned = `document.querySelector('.menu input[type=checkbox]')`;

test('a card flashes that came while the board was open, until it is pressed, and none where that is turned off', async () => {
  const before = await place();
  const page = await board();
  await page.until(`${column(before.number)} === 'pending'`);
  const came = await place();
  await page.until(`${column(came.number)} === 'pending'`);
  await page.until(isFresh(came.number));
  expect(await page.evaluate(isFresh(before.number))).toBe(false);
  expect(await page.evaluate(`${turned}.checked`)).toBe(true);
  await page.evaluate(`${turned}.click()`);
  await page.until(`!${isFresh(came.number)}`);
  expect(await page.evaluate(`localStorage.getItem('comanda.alerts')`)).toBe('off');
  const later = await place();
  await page.until(`${column(later.number)} === 'pending'`);
  // It is announced to who cannot see it, flash or not.
  await page.until(
    `document.querySelector('main .unseen[role=status]')?.innerText === 'New order ${later.number}'`,
  );
  expect(await page.evaluate(isFresh(later.number))).toBe(false);
  await page.evaluate(`${turned}.click()`);
  const last = await place();
  await page.until(`${card(last.number)} !== null && ${isFresh(last.number)}`);
  await page.click(moveButton(last.number));
  await page.until(`!${isFresh(last.number)}`);
  expect(page.complaints).toEqual([]);
});

test('a session without the board has no switch for its sound', async () => {
  const page = await opened({}, await link({ screens: ['day'] }));
  await page.until(`document.querySelector('.menu') !== null`);
  expect(await page.evaluate(turned)).toBe(null);
});

test('a card whose move is under way says so', async () => {
  const { id, number } = await place();
  const page = await board();
  await page.until(`${column(number)} === 'pending'`);
  await withClient(superuserUrl(api.databaseUrl), async (client) => {
    // The move waits for the row.
    await client.query('begin');
    await client.query('select from orders where id = $1 for update', [id]);
    await page.click(moveButton(number));
    await page.skip(6_000);
    await page.until(`${why(number)} === 'Its move is being sent'`);
    expect(await page.evaluate(`document.querySelector('${moveButton(number)}').disabled`)).toBe(true);
    await client.query('rollback');
  });
  await page.until(`${column(number)} === 'ready'`);
  await page.until(`${why(number)} === undefined`);
});

test('the card of a refused move says why, until another person moves it', async () => {
  const { id, number } = await place();
  const page = await board();
  await page.until(`${column(number)} === 'pending'`);
  await page.click(moveButton(number));
  const { permissions } = await api.client(await keyOf(page)).limits.get.query();
  await takePermission(api, page, 'orders:write');
  await page.skip(6_000);
  await page.until(`document.querySelector('.notice')?.innerText.includes('Order ${number} stays')`);
  await setPermissions(api, page, permissions);
  await page.until(`${why(number)}?.startsWith('It was not moved: ')`);
  await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
  await page.until(`${column(number)} === 'ready'`);
  expect(await page.evaluate(`${why(number)} ?? ''`)).not.toContain('It was not moved');
});

test('a key that may not move orders sees cards that say so', async () => {
  const { number } = await place();
  const page = await board();
  await page.until(`${column(number)} === 'pending'`);
  await setPermissions(api, page, ['orders:read', 'events:read']);
  await page.goto(`${api.url}/app/board`);
  await page.until(live);
  await page.until(`${why(number)} === 'Your key shows orders and may not move them'`);
  expect(await page.evaluate(`document.querySelector('${moveButton(number)}')`)).toBe(null);
});
