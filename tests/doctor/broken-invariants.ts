/** An edit that nothing held back: by a superuser, triggers and foreign keys switched off. */
export interface BrokenInvariant {
  /** The edit of the person. */
  edit: string;
  /** Edits of one round are made at once: no two that one check finds, or of which one hides another. The first unless said. */
  round?: 2 | 3 | 4 | 5;
  sql: string;
  /** The check that names it, and what it says. */
  check: string;
  found: RegExp;
  outcome?: 'warning';
  /** How a person repairs data that cannot be derived again. */
  mend?: string;
}

/** Edits that one check finds, by what the person does. */
const of = (
  check: string,
  edits: Readonly<Record<string, Omit<BrokenInvariant, 'edit' | 'check'>>>,
): BrokenInvariant[] => Object.entries(edits).map(([edit, broken]) => ({ edit, check, ...broken }));

export const brokenInvariants: readonly BrokenInvariant[] = [
  ...of('counts', {
    'deletes the counts of products (admins, row 2)': {
      sql: `delete from internal.tallies where name like 'product%'; delete from internal.tally_notes where name like 'product%'`,
      found:
        /product visible counted 0, there are 1 of|product visible of location \S+ counted 0, there are 1/,
    },
    'deletes the counts of orders (admins, row 3)': {
      round: 2,
      sql: `delete from internal.tallies where name like 'order%'; delete from internal.tally_notes where name like 'order%'`,
      found: /order pending, 768 h from \S+ \S+ of location \S+ counted 0, there are 2/,
    },
    'changes one stretch of the counts of orders': {
      round: 3,
      sql: `insert into internal.tallies (location_id, hours, starts_at, name, n)
      select location_id, 24, order_stretch(24, created_at), 'order pending', 5 from orders limit 1
      on conflict (location_id, hours, starts_at, name) do update set n = tallies.n + 5`,
      found: /order pending, 24 h from \S+ \S+ of location \S+ counted 7, there are 2 \(/,
    },
  }),
  ...of('catalog version', {
    'deletes the changes of the catalog': {
      sql: `delete from internal.tallies where name = 'catalog'; delete from internal.tally_notes where name = 'catalog'`,
      found: /the catalog of location \S+ shows change \d+, there were 0/,
    },
  }),
  ...of('order numbers', {
    'sets the counter of orders back (admins, row 17)': {
      sql: `update internal.location_counters set value = 0 where name = 'order'`,
      found: /the counter of orders of location \S+ is at 0, the highest order is 3/,
      outcome: 'warning',
    },
    'sets the counter of orders to where no order has room (admins, row 17)': {
      round: 2,
      sql: `update internal.location_counters set value = 2147483647 where name = 'order'`,
      found: /is at 2147483647, the highest order is 3/,
    },
  }),
  ...of('event numbers', {
    'sets the counter of events back (admins, row 10)': {
      sql: `update internal.location_counters set value = 0 where name = 'event'`,
      found: /the counter of events of location \S+ is at 0, the highest event is \d+/,
    },
  }),
  ...of('payments', {
    'deletes a payment (admins, row 4)': {
      sql: 'delete from payments where order_id = (select id from orders where number = 3)',
      found: /order 3 \(\S+\) of location \S+ has no payment/,
    },
    'cancels an order whose payment stays pending': {
      round: 4,
      sql: `update orders set status = 'canceled' where number = 3`,
      found: /order 3 \(\S+\) of location \S+ is canceled, its payment is pending/,
    },
  }),
  ...of('orders', {
    'changes the total of an order (admins, row 7)': {
      sql: 'update orders set total = total + 1 where number = 2',
      found: /order 2 \(\S+\) of location \S+ has a total of 13.50, its lines and adjustments make 12.50/,
      mend: 'update orders set total = total - 1 where number = 2',
    },
    'deletes all lines of an order (admins, row 8)': {
      round: 2,
      sql: 'create table kept_11 as select * from order_items; delete from order_items',
      found: /order 2 \(\S+\) of location \S+ has no lines/,
      mend: 'insert into order_items select * from kept_11; drop table kept_11',
    },
    'inserts an order that is never completed (admins, row 20)': {
      round: 4,
      sql: `insert into orders (location_id, number, payment_method_id) select location_id, -5, payment_method_id from orders limit 1`,
      found: /order -5 \(\S+\) of location \S+ never got its number/,
      mend: 'delete from orders where number = -5',
    },
  }),
  ...of('amounts', {
    'changes the amount of a payment (admins, row 6)': {
      round: 2,
      sql: 'update payments set amount = 99 where order_id = (select id from orders where number = 1)',
      found: /order 1 \(\S+\) of location \S+ has a total of 12.50, its payment is 99.00/,
      mend: 'update payments set amount = 12.5 where amount = 99',
    },
  }),
  ...of('settlements', {
    'deletes a settlement (admins, row 5)': {
      sql: 'create table kept_14 as select * from settlements; delete from settlements',
      found: /turn 1 \(\S+\) of location \S+ is closed and has no settlement/,
      outcome: 'warning',
      mend: 'insert into settlements select * from kept_14; drop table kept_14',
    },
    'changes what a turn collected': {
      round: 2,
      sql: 'update settlements set total_collected = total_collected + 1',
      found: /turn 1 \(\S+\) of location \S+ was settled with 13.50, which its payments do not make/,
      mend: 'update settlements set total_collected = total_collected - 1',
    },
  }),
  ...of('books', {
    'deletes an entry of a settlement': {
      round: 3,
      sql: `create table kept_16 as select * from settlement_entries; delete from settlement_entries where kind = 'payment';
      insert into settlement_entries (location_id, turn_id, order_id, payment_id, kind, amount)
      select location_id, turn_id, order_id, payment_id, 'refund', -1 from kept_16 limit 1`,
      found: /order \d+ \(\S+\) of location \S+ has a payment of 12.50 that is completed, its entries make 0/,
      mend: 'delete from settlement_entries; insert into settlement_entries select * from kept_16; drop table kept_16',
    },
  }),
  ...of('settlements', {
    'makes an entry of a closed turn smaller': {
      round: 4,
      sql: `create table kept_17 as select * from settlement_entries; update settlement_entries set amount = amount - 1`,
      found: /turn 1 \(\S+\) of location \S+ was settled with 12.50, its entries make 11.50/,
      mend: 'delete from settlement_entries; insert into settlement_entries select * from kept_17; drop table kept_17',
    },
  }),
  ...of('order gaps', {
    'deletes an order between two others, with its payment and its lines (requests, F4)': {
      round: 5,
      sql: `create table kept_18 as select * from orders where number = 2; delete from orders where number = 2`,
      found: /order 3 of location \S+ comes after 1/,
      outcome: 'warning',
      mend: 'insert into orders select * from kept_18; drop table kept_18',
    },
  }),
  ...of('settlements', {
    'takes an order out of a settled turn (requests, F3)': {
      round: 5,
      sql: `create table kept_19 as select * from orders where turn_id is not null; update orders set turn_id = null`,
      found: /turn 1 \(\S+\) of location \S+ has 0 orders, and was settled with 1/,
      mend: 'update orders o set turn_id = k.turn_id from kept_19 k where k.id = o.id; drop table kept_19',
    },
    'changes the end of a closed turn (admins, row 19)': {
      round: 3,
      sql: `update turns set ended_at = ended_at + interval '1 day' where batch_number = 1`,
      found: /turn 1 \(\S+\) of location \S+ has another number or time than its settlement/,
      mend: `update turns set ended_at = ended_at - interval '1 day' where batch_number = 1`,
    },
  }),
  ...of('event feed', {
    'deletes an event (admins, row 10)': {
      round: 2,
      sql: 'create table kept_21 as select * from events where number = 2; delete from events where number = 2',
      found: /event 3 of location \S+ comes after 1/,
      outcome: 'warning',
      mend: 'insert into events select * from kept_21; drop table kept_21',
    },
  }),
  ...of('identifiers', {
    'writes the external_id of another product with separate accents': {
      round: 2,
      sql: `insert into products (location_id, external_id, sku, name, price, external_id_twin, sku_twin)
        select location_id, f.name, 'twin ' || f.twin, 'Twin', 1, f.twin, false
        from (select location_id from products limit 1) p, (values (false, 'CAFÉ'), (true, normalize('CAFÉ', NFD))) f (twin, name)`,
      found: /product \S+ of location \S+ external_id "CAFÉ" differs from that of another product/,
      outcome: 'warning',
      mend: `delete from products where name = 'Twin'`,
    },
  }),
  ...of('documents', {
    'empties an event (admins, row 10)': {
      round: 3,
      sql: `create table kept_23 as select * from events where number = 2; update events set body = '{}' where number = 2`,
      found: /event \S+ of location \S+ is not as documented/,
      mend: 'update events e set body = k.body from kept_23 k where e.id = k.id; drop table kept_23',
    },
    'writes an object for the selections of a line (admins, row 9)': {
      round: 4,
      sql: `update order_items set selections = '{"a":1}' where order_id = (select id from orders where number = 2)`,
      found: /order \S+ of location \S+ cannot be shown: cannot extract elements from an object/,
      mend: `update order_items set selections = '[]'`,
    },
  }),
  ...of('endpoint secrets', {
    'deletes the secret of an endpoint (admins, row 15)': {
      sql: 'create table kept_25 as select * from internal.webhook_secrets; delete from internal.webhook_secrets',
      found: /endpoint \S+ of location \S+ has no valid signing secret/,
      mend: 'insert into internal.webhook_secrets select * from kept_25; drop table kept_25',
    },
  }),
  ...of('names', {
    'subscribes an endpoint to nonsense (admins, row 14)': {
      sql: `update webhook_endpoints set events = '{order.canceled,order.created}'`,
      found: /endpoint \S+ of location \S+ subscribes to order.canceled$/,
      mend: `update webhook_endpoints set events = '{order.created}'`,
    },
    'gives a key nonsense to do (admins, row 22)': {
      round: 2,
      sql: `update api_keys set permissions = permissions || '{orders:fly}'`,
      found: /key \S+ of location \S+ may orders:fly$/,
      mend: `update api_keys set permissions = array_remove(permissions, 'orders:fly')`,
    },
  }),
  ...of('deliveries', {
    'takes the due time of a delivery (admins, row 16)': {
      sql: `update webhook_deliveries set status = 'pending', next_attempt_at = null`,
      found: /delivery \S+ of location \S+ is pending and never due/,
    },
  }),
  ...of('sync jobs', {
    'deletes the job of a sync job (admins, row 24)': {
      sql: `insert into sync_jobs (location_id, items, total_items, created_at) select id, '[]', 0, now() - interval '1 hour' from locations`,
      found: /sync job \S+ of location \S+ waits, and no job is queued for it/,
    },
  }),
  ...of('time zones', {
    'deletes the zone of a location from the list of zones': {
      sql: `delete from internal.time_zones where name = (select timezone from locations limit 1)`,
      found: /zone \S+ of location \S+ is unknown to time_zones/,
    },
    'moves a location to a zone of which only PostgreSQL knows (admins, row 12)': {
      round: 2,
      sql: `create table kept_31 as select id, timezone from locations; update locations set timezone = 'UYT3'`,
      found: /zone UYT3 of location \S+ is unknown to time_zones, PostgreSQL, Node/,
      mend: 'update locations l set timezone = k.timezone from kept_31 k where k.id = l.id; drop table kept_31',
    },
  }),
  ...of('checksums', {
    'edits a checksum of a migration (admins, row 1)': {
      sql: `update _prisma_migrations set checksum = 'edited'`,
      found: /migration \d+_baseline has another checksum than its file/,
    },
  }),
  ...of('functions and triggers', {
    'drops a trigger': {
      sql: 'drop trigger touch on orders',
      found: /trigger touch on orders is missing or was changed/,
    },
    'disables a trigger': {
      round: 2,
      sql: 'alter table products disable trigger capture_update',
      found: /trigger capture_update on products is missing or was changed/,
    },
  }),
  ...of('disabled triggers', {
    'disables the triggers of a table, foreign keys included': {
      round: 3,
      sql: 'alter table payments disable trigger all',
      found: /foreign key payments_location_id_order_id_fkey on payments is disabled/,
      mend: 'alter table payments enable trigger all',
    },
  }),
  ...of('constraints and indexes', {
    'adds a constraint that is never checked': {
      sql: 'alter table products add constraint odd check (price >= 0) not valid',
      found: /constraint odd on products was never validated/,
      mend: 'alter table products drop constraint odd',
    },
  }),
  ...of('subselections', {
    'deletes the last option of a required choice': {
      sql: `insert into subselections (location_id, product_id, name, min_selection) select location_id, id, 'Toppings', 1 from products limit 1`,
      found:
        /"Toppings" of product "[^"]+" \(\S+\) of location \S+ needs at least 1, and its options allow at most 0/,
      outcome: 'warning',
      mend: `delete from subselections where name = 'Toppings'`,
    },
  }),
];
