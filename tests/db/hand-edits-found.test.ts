import { describe, expect, it, onTestFinished } from 'vitest';
import { openHand, useHand } from '../support/by-hand.ts';
import { useEditedShop } from './edited-shop.ts';
import { byConstraint, byGuard, type HandEdit, refusalOf } from './hand-edit.ts';

// Edits that random tests (tests/fuzz) found to be accepted silently, and to break an answer or the publishing later.

const api = useEditedShop();
const hand = useHand(api);

const product = `(select id from products where location_id = $1 limit 1)`;
const method = `(select id from payment_methods where location_id = $1 limit 1)`;
const line = (columns: string, values: string): string =>
  `with made as (insert into orders (location_id, payment_method_id) values ($1, ${method}) returning id)
   insert into order_items (location_id, order_id, product_id, quantity, ${columns}) select $1, id, ${product}, 1, ${values} from made`;
const selections = (text: string): string => line('unit_price, selections', `1, '${text}'`);
const chosen = '"item_id":"01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d"';

const found: readonly HandEdit[] = [
  ...byConstraint(/product_stock_quantity_check/, {
    'a quantity of stock that is no number': `insert into product_stock (location_id, product_id, quantity) values ($1, ${product}, 'NaN')`,
  }),
  ...byConstraint(/product_stock_min_stock_alarm_check/, {
    'an alarm of stock that is no number': `insert into product_stock (location_id, product_id, quantity, min_stock_alarm) values ($1, ${product}, 1, 'NaN')`,
  }),
  ...byConstraint(/subselection_items_stock_quantity_check/, {
    'the stock of an option that is no number': `with choice as (insert into subselections (location_id, product_id, name) values ($1, ${product}, 'x') returning id)
     insert into subselection_items (location_id, subselection_id, name, stock_quantity) select $1, id, 'x', 'NaN' from choice`,
  }),
  ...byConstraint(/subselections_position_check/, {
    // Catalog sync puts what is new behind the last one: it answered 500.
    'a subselection in the last place that an int has': `insert into subselections (location_id, product_id, name, position) values ($1, ${product}, 'x', 2147483647)`,
  }),
  ...byConstraint(/order_items_unit_price_check/, {
    'a price of a line that is no number': line('unit_price', `'NaN'`),
  }),
  ...byConstraint(/selections as/, {
    'a selection of something that is no item': selections('[{"item_id":"x","quantity":1}]'),
    'a selection that took stock perhaps': selections(`[{${chosen},"quantity":1,"stock_taken":"maybe"}]`),
    'a selection of more than a number holds': selections(`[{${chosen},"quantity":1e400}]`),
  }),
  ...byConstraint(/api_keys_times_check/, {
    'a key that was revoked in the year 294276': `update api_keys set revoked_at = '294276-12-31Z' where location_id = $1 and revoked_at is null`,
    'a key that never expires': `update api_keys set expires_at = 'infinity' where location_id = $1`,
  }),
  ...byConstraint(/webhook_endpoints_events_check/, {
    'events as a list of lists': `update webhook_endpoints set events = '{{order.created},{turn.open}}' where location_id = $1`,
  }),
  ...byGuard(/names each event once/, {
    'an event twice': `update webhook_endpoints set events = '{turn.open,turn.open}' where location_id = $1`,
  }),
  ...byConstraint(/menus_version_check/, {
    'a menu that was published as often as can be counted': `insert into menus (location_id, name, version) values ($1, 'Winter', 2147483647)`,
  }),
  ...byGuard(/npm start fills the time zones/, {
    'a time zone that only PostgreSQL knows': `insert into internal.time_zones (name) select 'UYT3' where $1::uuid is not null`,
    'another name of a time zone, which locations would follow': `update internal.time_zones set name = 'UYT3' where name = 'UTC' and $1::uuid is not null`,
  }),
  ...byGuard(/gets the next number, 3/, {
    'a turn with the last number there is': `insert into turns (location_id, batch_number) values ($1, 2147483647)`,
  }),
  ...byGuard(/opened now and gets the next number/, {
    'a turn that was never open': `insert into turns (location_id, batch_number, status) values ($1, 3, 'closed')`,
  }),
  ...byGuard(/comanda locations move/, {
    // Its status was held from then on, so it was never enabled again; and the audit had no word of it.
    'a move of a location to another cell that no command makes': `insert into internal.location_moves (id, cell, folder) values ($1, 'north', '/moves/north')`,
    'a location said to be in another cell, which would lead its callers nowhere': `insert into internal.moved_locations (code, location_id, cell) select code, id, 'north' from locations where id = $1`,
  }),
  ...byGuard(/has payments, so it is kept: disable it/, {
    'a payment method deleted that has payments': 'delete from payment_methods where location_id = $1',
  }),
];

describe('a person is refused', () => {
  it.each(found.map((one) => [one.edit, one] as const))('%s', async (_, edit) => {
    await expect(hand.sql(edit.sql, [api.locationId])).rejects.toMatchObject(refusalOf(edit));
  });

  it('an order that was paid by another method than its own, and one that is paid at no time', async () => {
    const order = async (payment: string) => {
      await hand.sql('begin');
      await hand.sql(line('unit_price', '10'), [api.locationId]);
      await hand.sql(
        `with other as (insert into payment_methods (location_id, name, type) values ($1, 'Card', 'card') returning id),
         method as (select * from other union all select ${method} as id)
         insert into payments (location_id, order_id, payment_method_id, amount, created_at)
         select $1, o.id, ${payment} from orders o where o.number < 0`,
        [api.locationId],
      );
      await hand.sql('commit');
    };
    await expect(order(`(select id from other), 10, now()`)).rejects.toThrow(/and its payment method/);
    await expect(order(`${method}, 10, 'infinity'`)).rejects.toThrow(/times of the years 1 to 9999/);
    await order(`${method}, 10, now()`);
  });

  it('an import with a number that leaves no room, an amount that is none, or a time that is none', async () => {
    const imported = (columns: string, values: string) =>
      hand.deed(
        'import: a test',
        `insert into orders (location_id, payment_method_id, ${columns}) values ($1, ${method}, ${values})`,
        [api.locationId],
      );
    await expect(imported('number', '2000000000')).rejects.toThrow(/at most 1000000000/);
    await expect(imported('number, total', `77, 'NaN'`)).rejects.toThrow(/orders_total_check/);
    await expect(imported('number, created_at', `77, 'infinity'`)).rejects.toThrow(/years 1 to 9999/);
  });
});

it('a turn that a person opens gets its number by itself', async () => {
  await hand.sql(`update turns set status = 'closed' where location_id = $1`, [api.locationId]);
  const open = 'insert into turns (location_id) values ($1) returning batch_number';
  expect(await hand.sql(open, [api.locationId])).toEqual([{ batch_number: 3 }]);
});

it('an order that a person inserts names no maker, even if the session declares one', async () => {
  await hand.sql('begin');
  await hand.sql(`select set_config('comanda.api_key_id', $1, true)`, [api.key.id]);
  await hand.sql(line('unit_price', '1'), [api.locationId]);
  expect(await hand.sql('select created_by from orders where number < 0')).toEqual([{ created_by: null }]);
  await hand.sql('rollback');
});

describe('a deed', () => {
  const forbidden = 'update payments set amount = amount + 1';
  const refused = { code: 'CM008' };

  it('of an import brings lines, and changes no existing one: a total would not be that of its lines', async () => {
    for (const edit of ['update order_items set quantity = 9, total = 1', 'delete from order_items'])
      await expect(hand.deed('import: a test', edit)).rejects.toThrow(/^the lines of an order never change/);
  });

  it('does not pass TRUNCATE, which would leave counts and the tag of the catalog as they were', async () => {
    for (const table of ['products', 'internal.order_moves', 'events', 'internal.tallies'])
      for (const deed of ['migration', 'repair', 'import'])
        await expect(hand.deed(`${deed}: a test`, `truncate ${table} cascade`)).rejects.toMatchObject({
          code: 'CM008',
        });
  });

  it('declared in a transaction ends with it, however it ends, and with its savepoint', async () => {
    for (const end of ['commit', 'rollback']) {
      await hand.sql(`begin; select deed('repair: a test'); ${forbidden}; ${end}`);
      await expect(hand.sql(forbidden)).rejects.toMatchObject(refused);
    }
    await hand.sql(`begin; savepoint s; select deed('repair: a test'); ${forbidden}; rollback to s`);
    await expect(hand.sql(forbidden)).rejects.toMatchObject(refused);
    await hand.sql('rollback');
    await hand.sql(`select deed('repair: alone')`);
    await expect(hand.sql(forbidden)).rejects.toMatchObject(refused);
  });

  it('is refused to an admin, and the setting passes nothing for one', async () => {
    const admin = await openHand(api.databaseUrl, 'admin');
    onTestFinished(() => admin.close());
    await expect(admin.sql(`select deed('repair: a test')`)).rejects.toThrow(
      /^only a member of .*_owner declares a deed/,
    );
    await expect(
      admin.sql(`begin; set local comanda.deed = 'repair: by an admin'; ${forbidden}`),
    ).rejects.toMatchObject(refused);
    await admin.sql('rollback');
  });

  it('said by the setting of before passes nothing for the owner either, by SET, SET LOCAL or the connection', async () => {
    const url = new URL(api.databaseUrl);
    url.searchParams.set('options', `-c comanda.deed=repair:always`);
    const byConnection = await openHand(url.href);
    const other = await openHand(api.databaseUrl);
    onTestFinished(() => Promise.all([byConnection.close(), other.close()]).then(() => {}));
    await expect(byConnection.sql(forbidden)).rejects.toMatchObject(refused);
    await other.sql(`set comanda.deed = 'repair: try'`);
    await expect(other.sql(forbidden)).rejects.toMatchObject(refused);
    await other.sql(`begin; set local comanda.deed = 'repair: again'`);
    await expect(other.sql(forbidden)).rejects.toMatchObject(refused);
    await other.sql(`rollback; begin; select deed('repair: again'); ${forbidden}; commit`);
  });

  it('does not change the id of a location, which would follow in no certain order', async () => {
    await expect(hand.deed('repair: a test', 'update locations set id = uuid_v7()')).rejects.toThrow(
      /never changes/,
    );
  });
});
