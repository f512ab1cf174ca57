import { describe, expect, test } from 'vitest';
import { entrancesOf } from '../contract/entrances.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { operations } from '../support/documented.ts';

// Work of the API is in no entry of a manual edit.

const api = useApi();

const byHand = () => api.sql`select relation, operation from audit_entries where actor_kind = 'database'`;

describe('nothing is taken for a manual edit of', () => {
  // The subject of the audit's own operations is a manual edit.
  const others = operations.filter(({ name }) => !name.startsWith('audit.'));
  test.each(others.flatMap(entrancesOf))('$name', async ({ call, operation }) => {
    const kitchen = await openKitchen(api);
    const input = await inputIn(kitchen, operation);
    if (operation.name === 'turns.open')
      await api.sql`update turns set status = 'closed' where location_id = ${kitchen.locationId}`;
    const { code, message } = await call(api.url, kitchen.key, input);
    expect(code, message).toBeUndefined();
    expect(await byHand()).toEqual([]);
  });
});

test('and a manual edit is, in the same database', async () => {
  const hand = await openHand(api.databaseUrl);
  await hand.sql(`insert into categories (location_id, name) values ($1, 'New')`, [api.locationId]);
  await hand.close();
  expect(await byHand()).toEqual([{ relation: 'categories', operation: 'insert' }]);
});
