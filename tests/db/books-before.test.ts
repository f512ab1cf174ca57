import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { sqlBy } from '../support/sql.ts';

const migrations = join(repositoryRoot, 'prisma', 'migrations');
const location = '00000000-0000-7000-8000-000000000000';
const cash = '00000000-0000-7000-8000-000000000001';
const card = '00000000-0000-7000-8000-000000000002';

let database: TestDatabase;
let client: pg.Client;
let number = 0;

const sql = sqlBy(async (text, values) => (await client.query(text, values)).rows);

/** A turn as the release before entries left it: closed at 20:00, settled with `payments`; or open. */
async function turn(batch: number, payments?: readonly { method: string; count: number; amount: number }[]) {
  const [made] = await sql<{ id: string }>(
    `insert into turns (location_id, batch_number, status, started_at, ended_at)
     values ($1, $2, $3, '2026-01-0${batch}T08:00Z', $4) returning id`,
    [location, batch, payments ? 'closed' : 'open', payments ? `2026-01-0${batch}T20:00Z` : null],
  );
  const id = made?.id ?? '';
  if (payments !== undefined)
    await sql(
      `insert into settlements (location_id, turn_id, batch_number, started_at, ended_at, total_orders, total_collected, average_ticket,
         payments, orders, created_at)
       values ($1, $2, $3, '2026-01-0${batch}T08:00Z', '2026-01-0${batch}T20:00Z', 0, $4, 0, $5, '{}', '2026-01-0${batch}T20:00Z')`,
      [location, id, batch, payments.reduce((sum, { amount }) => sum + amount, 0), JSON.stringify(payments)],
    );
  return id;
}

/** An order with a payment that was completed at the moment. */
async function paid(turnId: string | null, amount: number, at: string, method = cash) {
  number += 1;
  const [order] = await sql<{ id: string }>`
    insert into orders (location_id, number, status, total, payment_method_id, turn_id) values (${location}, ${number}, 'closed', ${amount}, ${method}, ${turnId}) returning id`;
  const [payment] = await sql<{ id: string }>`
    insert into payments (location_id, order_id, payment_method_id, amount, status, updated_at)
    values (${location}, ${order?.id}, ${method}, ${amount}, 'completed', ${at}) returning id`;
  return payment?.id ?? '';
}

const known: Record<string, string> = {};
const turns: Record<string, string> = {};

beforeAll(async () => {
  database = await createEmptyDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'comanda-books-'));
  for (const name of readdirSync(migrations).filter((name) => /^\d/.test(name) && name < '20261126110000')) {
    mkdirSync(join(directory, name));
    cpSync(join(migrations, name), join(directory, name), { recursive: true });
  }
  await migrate(database.url, { directory });
  rmSync(directory, { recursive: true });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await sql`insert into locations (id, name, timezone, currency) values (${location}, 'Old', 'UTC', 'UYU')`;
  await sql`
    insert into payment_methods (location_id, id, name, type) values (${location}, ${cash}, 'Cash', 'cash'), (${location}, ${card}, 'Card', 'card')`;
  turns.whole = await turn(1, [
    { method: 'card', count: 1, amount: 5.1 },
    { method: 'cash', count: 2, amount: 20.3 },
  ]);
  known.cash = await paid(turns.whole, 10.15, '2026-01-01T10:00Z');
  await paid(turns.whole, 10.15, '2026-01-01T11:00Z');
  await paid(turns.whole, 5.1, '2026-01-01T12:00Z', card);
  known.late = await paid(turns.whole, 7, '2026-01-02T09:00Z');
  turns.sameSum = await turn(2, [{ method: 'card', count: 1, amount: 8 }]);
  known.otherMethod = await paid(turns.sameSum, 8, '2026-01-02T10:00Z');
  turns.changed = await turn(3, [{ method: 'cash', count: 1, amount: 9 }]);
  known.changed = await paid(turns.changed, 4, '2026-01-03T10:00Z');
  turns.empty = await turn(4, []);
  turns.open = await turn(5);
  known.open = await paid(turns.open, 3, '2026-01-05T10:00Z');
  known.without = await paid(null, 6, '2026-01-05T11:00Z');
  await migrate(database.url);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const turnOf = async (payment = '') =>
  (
    await sql<{ turn_id: string; kind: string }>`
      select turn_id, kind from settlement_entries where payment_id = ${payment}`
  ).map(({ turn_id, kind }) => [kind, turn_id]);

test('a payment that was settled before there were entries has one where they make what was settled', async () => {
  expect(await turnOf(known.cash)).toEqual([['payment', turns.whole]]);
  const made = await sql`
    select sum(amount)::float as amount from settlement_entries where turn_id = ${turns.whole}`;
  expect(made).toEqual([{ amount: 25.4 }]);
});

test.each(['late', 'otherMethod', 'changed', 'without'])(
  'a payment that no settlement is known to contain is before books: %s',
  async (name) => expect(await turnOf(known[name])).toEqual([]),
);

test('a turn that was open at the upgrade collects what it had, and not what another had', async () => {
  expect(await turnOf(known.open)).toEqual([['payment', turns.open]]);
  await sql(`update turns set status = 'closed' where id = $1`, [turns.open]);
  const settled = await sql`select total_collected::float from settlements where turn_id = ${turns.open}`;
  expect(settled).toEqual([{ total_collected: 3 }]);
});

test('payments, settlements and what is before books make what was completed', async () => {
  const [sums] = await sql<Record<'completed' | 'entries' | 'before', number>>`
    select (select sum(amount)::float from payments where status = 'completed') as completed,
    (select sum(amount)::float from settlement_entries) as entries,
    (select sum(p.amount)::float from payments p where p.status = 'completed' and not exists (
      select from settlement_entries e where e.payment_id = p.id)) as before`;
  expect((sums?.entries ?? 0) + (sums?.before ?? 0)).toBeCloseTo(sums?.completed ?? 0, 6);
  expect(sums?.before).toBe(25);
});
