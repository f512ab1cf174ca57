import { expect, it } from 'vitest';
import { permissions } from '../../packages/api/src/permissions.ts';
import { subscribableEventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { useHand } from '../support/by-hand.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const hand = useHand(database);

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
