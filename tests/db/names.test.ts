import { afterAll, beforeAll, expect, it } from 'vitest';
import { subscribableEventTypes } from '../../packages/api/src/events.ts';
import { permissions } from '../../packages/api/src/permissions.ts';
import { type Hand, openHand } from '../support/by-hand.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let hand: Hand;
beforeAll(async () => {
  database = await createTestDatabase();
  hand = await openHand(database.url);
});
afterAll(async () => {
  await hand.close();
  await database.drop();
});

it.each([
  ['event_names', subscribableEventTypes],
  ['permission_names', Object.keys(permissions)],
])('%s of the database are those of the API', async (name, known) => {
  const [row] = await hand.sql(`select ${name}() as names`);
  expect(row).toEqual({ names: known });
});

it.each([
  ['order.canceled', 'order.cancelled'],
  ['Order.Created', 'order.created'],
  ['stock', 'stock.updated'],
])('the name nearest to %s is %s', async (written, nearest) => {
  expect(await hand.sql('select nearest_name($1, event_names()) as name', [written])).toEqual([
    { name: nearest },
  ]);
});
