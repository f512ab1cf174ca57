import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { type Hand, openHand } from '../support/by-hand.ts';
import { createCategory, createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';

// What a person does by psql or in Studio is in the audit: who, and what from what to what.

let api: TestApi;
let hand: Hand;
let location: string;
let other: string;
beforeAll(async () => {
  api = await startTestApi();
  hand = await openHand(api.databaseUrl);
});
afterAll(async () => {
  await hand?.close();
  await api?.close();
});
beforeEach(async () => {
  location = await createLocation(api.app.database);
  other = await createLocation(api.app.database);
});

interface Entry {
  id: string;
  location_id: string | null;
  actor_kind: string;
  actor_name: string;
  application_name: string;
  operation: string;
  relation: string;
  resource_id: string | null;
  row_count: number | null;
  changes: { rows: { key: object; before: object | null; after: object | null; left_out?: string[] }[] };
  deed: string | null;
  caused_by: string | null;
}

/** What hands did at the location of the test, the oldest first. */
const entries = (at: string | null = location) =>
  hand.sql<Entry>(
    `select * from audit_entries where actor_kind = 'database' and location_id is not distinct from $1
     order by created_at, caused_by is not null, relation, operation`,
    [at],
  );

const product = (fields: object = {}) => createProduct(api.app.database, { locationId: location, ...fields });

describe('a statement by hand is one entry a location:', () => {
  it('an update, with who did it and what differs', async () => {
    const id = await product();
    await hand.sql(`update products set price = 12.50, name = 'Tea' where location_id = $1`, [location]);
    const [{ user } = {}] = await hand.sql<{ user: string }>('select session_user::text as user');
    expect(await entries()).toEqual([
      expect.objectContaining({
        location_id: location,
        actor_name: user,
        application_name: 'psql',
        operation: 'update',
        relation: 'products',
        resource_id: id,
        row_count: 1,
        deed: null,
        caused_by: null,
        changes: {
          rows: [
            {
              key: { id },
              before: { name: expect.any(String), price: expect.any(Number) },
              after: { name: 'Tea', price: 12.5 },
            },
          ],
        },
      }),
    ]);
  });
  it('try delete', async () => {
    const id = await product();
    await hand.sql(`delete from products where location_id = $1`, [location]);
    console.log(JSON.stringify(await entries(), null, 1));
    const [e] = await entries();
    await hand.sql('select undo_hand_edit($1)', [e?.id]);
    console.log(JSON.stringify(await entries(), null, 1), id);
  });
});
