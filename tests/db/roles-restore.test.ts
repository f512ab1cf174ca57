import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { applyRoles } from '../../packages/db/src/roles/apply.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { useOperated } from '../support/operated.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { openAs } from '../support/roles.ts';
import { runOnce, urlOfDatabase } from '../support/server.ts';
import { withClient } from '../support/sql.ts';
import { ownTables } from '../support/tables.ts';

// All by a role that may make roles and owns an empty database: no superuser, no BYPASSRLS.

const place = useOperated();

/** Whether it made a role before there were tables, and again. */
const madeBefore: boolean[] = [];
beforeAll(async () => {
  for (let turn = 0; turn < 2; turn++) madeBefore.push(await apply());
  await place.letIn();
  await prepare();
  await serves();
}, 180_000);

/** As `comanda db roles --apply` does, by the operator. */
const apply = () => withClient(place.url('operator'), (client) => applyRoles(client, place.prefix));

const prepare = async () => {
  await migrateQueue(place.url('owner'));
  await migrate(place.url('owner'), { rolePrefix: place.prefix });
};

async function servesOrders(api: TestApi): Promise<void> {
  const order = await placeOrder(api, await createOrderKitchen(api));
  const hand = await openHand(place.url('owner'));
  try {
    await expect(
      hand.sql('update orders set total = total + 1 where id = $1', [order.id]),
    ).rejects.toMatchObject({ code: 'CM008' });
  } finally {
    await hand.close();
  }
}

/** Starts the service on it, and has it place an order. */
async function serves(): Promise<void> {
  const api = await startTestApi({ databaseUrl: place.url('service') });
  try {
    await servesOrders(api);
  } finally {
    await api.close();
  }
}

describe('a role that may make roles, and no more', () => {
  it('makes the four before there are tables, and again', () => {
    expect(madeBefore).toEqual([false, false]);
  });

  it('lets the owner migrate and the service serve', async () => {
    await prepare();
    await serves();
  });

  it('applies the roles once more when there are tables', async () => {
    expect(await apply()).toBe(true);
  });

  it('leaves an admin no place for a trigger, whose deletions would pass a guard as a cascade does', async () => {
    const admin = await openHand(place.url('admin'), 'admin');
    const payments = () => admin.sql<{ n: number }>('select count(*)::int as n from payments');
    onTestFinished(() => admin.close());
    const before = await payments();
    expect(before[0]?.n).toBeGreaterThan(0);
    await expect(
      admin.sql(`create temporary table way (past int);
          create function pg_temp.past() returns trigger language plpgsql as $$
            begin delete from public.payments; return new; end $$;
          create trigger past before insert on way for each row execute function pg_temp.past();
          insert into way values (1)`),
    ).rejects.toMatchObject({ code: '42501' });
    expect(await payments()).toEqual(before);
  });

  it('leaves to doctor what it may not grant, until it may', async () => {
    const check = async () => {
      const { checks } = await diagnose({
        DATABASE_URL: place.url('service'),
        DATABASE_ROLE_PREFIX: place.prefix,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      });
      return checks.find(({ name }) => name === 'sessions of people');
    };
    const own = await openHand(place.url('operator'));
    const [version] = await own.sql<{ old: boolean }>`
      select current_setting('server_version_num')::int < 160000 as old`;
    await own.sql(`alter role ${place.prefix}_reader connection limit 200`);
    await own.close();
    const lacks = `${place.prefix}_service lacks pg_signal_backend, pg_read_all_stats; `;
    // Before 16 every role that may make roles grants these.
    expect(await check()).toMatchObject({
      outcome: 'warning',
      found: `${version?.old === true ? '' : lacks}without their limits and defaults: ${place.prefix}_reader`,
      advice: expect.stringContaining('comanda db roles --apply'),
    });
    // As the administrators of managed databases have it.
    await runOnce(
      inject('adminUrl'),
      `grant pg_signal_backend, pg_read_all_stats to ${place.operator} with admin option`,
    );
    await apply();
    expect(await check()).toMatchObject({ outcome: 'ok' });
  });

  it('bounds admins and readers, and leaves a reader no temporary table to fill the disk with', async () => {
    const reader = await openHand(place.url('reader'), 'reader');
    onTestFinished(() => reader.close());
    const [bounds] = await reader.sql(`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle, current_setting('default_transaction_read_only') as reads,
        (select rolconnlimit from pg_roles where rolname = current_user) as connections`);
    expect(bounds).toEqual({ statement: '5min', idle: '1min', reads: 'on', connections: 20 });
    await reader.sql('set default_transaction_read_only = off');
    await expect(reader.sql('create temporary table much (id int)')).rejects.toMatchObject({ code: '42501' });
  });

  it('becomes no superuser by that, and passes no row security', async () => {
    const client = await openAs(place.url('operator'), 'owner');
    const { rows } = await client.query(
      'select rolsuper, rolbypassrls from pg_roles where rolname = current_user or starts_with(rolname, $1)',
      [place.prefix],
    );
    await client.end();
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"rolsuper":false,"rolbypassrls":false}']),
    );
  });
});

it('data alone, put back without triggers and without a search path, gives a database that serves', async () => {
  const superuser = new pg.Client({ connectionString: urlOfDatabase(inject('adminUrl'), place.database) });
  await superuser.connect();
  const tables = (await ownTables(superuser)).filter(({ name: table }) => !/^(_prisma|sql_)/.test(table));
  const count = async (): Promise<number> =>
    (await superuser.query('select count(*)::int as orders from public.orders')).rows[0].orders;
  const before = await count();
  let after = 0;
  try {
    await superuser.query('create schema kept');
    for (const { name: table, sql } of tables)
      await superuser.query(`create table kept.${table} as table ${sql}`);
    // As pg_restore --data-only --disable-triggers goes on.
    await superuser.query(`set search_path = ''`);
    for (const { sql } of tables) await superuser.query(`alter table ${sql} disable trigger all`);
    await superuser.query(`truncate ${tables.map(({ sql }) => sql).join(', ')}`);
    for (const { name: table, sql } of tables)
      await superuser.query(`insert into ${sql} select * from kept.${table}`);
    for (const { sql } of tables) await superuser.query(`alter table ${sql} enable trigger all`);
    await superuser.query('drop schema kept cascade');
    after = await count();
  } finally {
    await superuser.end();
  }
  expect(before).toBeGreaterThan(0);
  expect(after).toBe(before);
  await prepare();
  await serves();
});

it("tables that another role has restored become the owner's", async () => {
  const admin = urlOfDatabase(inject('adminUrl'), place.database);
  await runOnce(
    admin,
    `alter table orders owner to ${place.operator}; alter function by_service() owner to ${place.operator}`,
  );
  await apply();
  const owner = await openHand(place.url('owner'));
  onTestFinished(() => owner.close());
  const rows = await owner.sql`select distinct relowner::regrole::text as owner from pg_class
      where relnamespace in ('public'::regnamespace, 'internal'::regnamespace) and relkind = 'r'`;
  expect(rows).toEqual([{ owner: `${place.prefix}_owner` }]);
});
