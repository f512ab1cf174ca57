import { openDatabase } from '@comanda/db';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHand, useHand } from '../support/by-hand.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { useEditedShop } from './edited-shop.ts';
import { refusalOf, valuesFor } from './hand-edit.ts';
import { handEdits } from './hand-edits-of-others.ts';

// Studio and psql are a person's door. Edits that used to break data silently there are refused with a sentence, or complete
// themselves (hand-orders.test.ts).

const api = useEditedShop();
const hand = useHand(api);

/**
 * The rows of a table, and the changes of it that wait to be published. When a key was last used is noted by the
 * service meanwhile.
 */
async function stateOf(sql: string): Promise<unknown> {
  const table = /(?:update|delete from|insert into) ([\w.]+)/.exec(sql)?.[1];
  return hand.sql(
    `select (select md5(string_agg(r.row, ',' order by r.row)) from (select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t) r) as rows,
       (select count(*) from internal.captured_changes) as changes, (select count(*) from internal.tally_notes) as notes`,
  );
}

describe('a person', () => {
  it.each(handEdits)('who $edit is refused with a sentence, and nothing is left of it', async (edit) => {
    const before = await stateOf(edit.sql);
    await expect(hand.sql(edit.sql, valuesFor(edit.sql, api.locationId))).rejects.toMatchObject(
      refusalOf(edit),
    );
    expect(await stateOf(edit.sql)).toEqual(before);
  });

  it.each(['orders', 'products', 'locations', 'internal.tallies', 'settlements', 'events', 'audit_entries'])(
    'who truncates %s is refused',
    async (table) => {
      await expect(hand.sql(`truncate ${table} cascade`)).rejects.toMatchObject({ code: 'CM008' });
    },
  );

  it('does not bypass a guard by setting what the service sets', async () => {
    for (const name of ['new_order', 'api_key_id', 'request_id'])
      await hand.sql(`select set_config($1, $2, false)`, [`comanda.${name}`, api.key.id]);
    await expect(
      hand.sql`insert into orders (location_id, id, number, payment_method_id, total)
        select ${api.locationId}, ${api.key.id}, 77, id, 1 from payment_methods where location_id = ${api.locationId}`,
    ).rejects.toMatchObject({ code: 'CM008' });
    await hand.sql('reset all');
  });
});

const passable = handEdits.filter(({ by, sql }) => by === 'guard' && !sql.startsWith('insert into orders'));

describe('the deed', () => {
  it.each(passable)('`repair` passes who $edit', async ({ sql }) => {
    await hand.sql('begin');
    onTestFinished(async () => void (await hand.sql('rollback')));
    await hand.sql(`select deed('repair: a test')`);
    // Constraints hold with every deed.
    await hand
      .sql(sql, valuesFor(sql, api.locationId))
      .catch((error: { code: string }) => expect(error.code).toMatch(/^23/));
  });

  it('ends with its transaction', async () => {
    await hand.deed('repair: a test', `update orders set total = total`);
    await expect(hand.sql('update orders set total = total + 1')).rejects.toMatchObject({ code: 'CM008' });
  });

  it.each(['', 'repair', 'repair:', 'repair:  ', 'repairs: why', 'because'])(
    'said as "%s" passes nothing',
    async (said) => {
      await expect(hand.deed(said, 'update orders set total = total + 1')).rejects.toMatchObject({
        code: 'CM008',
      });
    },
  );

  it('passes what its row says and no more', async () => {
    await expect(hand.deed('retention: a test', 'update orders set total = 1')).rejects.toMatchObject({
      code: 'CM008',
      message: expect.stringMatching(/total .* never change/),
    });
    await expect(hand.deed('repair: a test', 'update products set price = 12.345')).rejects.toMatchObject({
      code: '23514',
    });
  });

  it('lets no session pass that is no member of the role that owns the tables', async () => {
    const admin = await openHand(api.databaseUrl, 'admin');
    onTestFinished(() => admin.close());
    await expect(admin.deed('repair: a test', 'update orders set total = total + 1')).rejects.toMatchObject({
      code: 'CM008',
    });
  });
});

describe('the service', () => {
  it.each([
    ['deletes no event', 'delete from events'],
    ['changes no event', `update events set body = '{}'`],
    ['deletes nothing of the audit', 'delete from audit_entries'],
    ['deletes no payment', 'delete from payments'],
    ['deletes no settlement', 'delete from settlements'],
    ['changes no total', 'update orders set total = total + 1'],
    ['deletes no line', 'delete from order_items'],
    ['leaves no endpoint without a secret', 'delete from internal.webhook_secrets'],
  ])('%s either', async (_, sql) => {
    // By a guard, or because the privilege is missing.
    await expect(api.app.database.pool.query(sql)).rejects.toMatchObject({
      code: expect.stringMatching(/^(CM008|42501)$/),
    });
  });

  it('is known by its sessions, under any name that the URL of the database gives them', async () => {
    const url = new URL(api.databaseUrl);
    url.searchParams.set('application_name', 'shop');
    const database = openDatabase({ url: url.href, poolSize: 1, applicationName: 'comanda-api' });
    onTestFinished(() => database.close());
    const { rows } = await database.pool.query(
      `update internal.process_heartbeats set seen_at = seen_at returning current_setting('application_name') as name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['comanda-api shop']);
  });
});

it('a location without orders goes with everything that is kept in it', async () => {
  const location = await createLocation(api.app.database);
  await createKey(api.app.database, { locationId: location });
  await api.sql`
    with turn as (insert into turns (location_id, batch_number) values (${location}, 1) returning id)
    insert into events (location_id, id, number, type, resource_id, body, created_at)
    select ${location}, uuid_v7(), 1, 'turn.open', id, '{}', now() from turn`;
  await hand.sql(`update turns set status = 'closed' where location_id = $1`, [location]);
  await api.sql`
    insert into audit_entries (location_id, actor_kind, operation) values (${location}, 'command_line', 'a.test')`;
  await hand.sql('delete from locations where id = $1', [location]);
  const [left] = await hand.sql`
    select (select count(*)::int from settlements where location_id = ${location}) as settlements,
    (select count(*)::int from events where location_id = ${location}) as events,
    (select count(*)::int from audit_entries where location_id = ${location}) as audit`;
  expect(left).toEqual({ settlements: 0, events: 0, audit: 0 });
});

it('changing the type of a payment method that has payments is a conflict in the API, too', async () => {
  const [method] = await hand.sql<{ id: string }>`
    select payment_method_id as id from payments where location_id = ${api.locationId} limit 1`;
  const client = api.client();
  await expect(
    client.paymentMethods.update.mutate({ id: method?.id ?? '', type: 'card' }),
  ).rejects.toMatchObject({ message: expect.stringMatching(/has payments, so its type stays/) });
});
