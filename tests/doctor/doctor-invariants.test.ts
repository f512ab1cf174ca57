import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Diagnosis, type DoctorOptions, diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { invariants } from '../../packages/api/src/doctor/invariants/table.ts';
import { type Hand, openHand } from '../support/by-hand.ts';
import { superuserUrl } from '../support/database.ts';
import { placeOrder, useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { roleUrl } from '../support/roles.ts';
import { brokenInvariants } from './broken-invariants.ts';

// A superuser who switches triggers off is outside of every promise. Doctor finds the harm, and derives again what can be.

vi.setConfig({ testTimeout: 60_000 });

const api = useSteppedApi();
const kitchen = useOrderKitchen(api);
let superuser: Hand;
beforeAll(async () => {
  const client = api.client();
  await client.webhookEndpoints.create.mutate({ url: 'http://127.0.0.1:1/', events: ['order.created'] });
  await client.turns.open.mutate();
  const first = await placeOrder(api, kitchen);
  await client.payments.complete.mutate({ id: first.payment.id });
  await client.orders.updateStatus.mutate({ id: first.id, status: 'ready' });
  await client.turns.close.mutate();
  await client.turns.open.mutate();
  await placeOrder(api, kitchen);
  await placeOrder(api, kitchen);
  await client.catalog.get.query();
  superuser = await openHand(superuserUrl(api.databaseUrl));
  await api.published();
}, 60_000);
afterAll(async () => {
  await superuser?.close();
});

const doctor = (options: DoctorOptions = {}): Promise<Diagnosis> =>
  diagnose(
    {
      DATABASE_URL: api.databaseUrl,
      DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner'),
      ENCRYPTION_KEY: api.encryptionKey,
    },
    { thresholds: { probeSeconds: 0 }, ...options },
  );

/** The invariants that do not hold; the missing worker of this test does not count. */
const amiss = ({ checks }: Diagnosis) =>
  checks.filter(({ name, outcome }) => outcome !== 'ok' && invariants.some((each) => each.name === name));

async function unhindered(sql: string): Promise<void> {
  await superuser.sql('set session_replication_role = replica');
  await superuser.sql(sql);
  await superuser.sql('reset session_replication_role');
}

it('every file of prisma/invariants is of an invariant', () => {
  const names = readdirSync('prisma/invariants').map((file) => file.replace('.sql', '').replaceAll('-', ' '));
  expect(invariants.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

it('all invariants hold without manual edits', async () => {
  expect(amiss(await doctor())).toEqual([]);
  expect(amiss(await doctor({ deep: true }))).toEqual([]);
});

// In this order: a repair may leave rows other than they were, as an order that stays canceled.
describe('a superuser who switches triggers off', { shuffle: false }, () => {
  it.each([1, 2, 3, 4, 5])('is found out, edits of round %i', async (number) => {
    const edits = brokenInvariants.filter(({ round = 1 }) => round === number);
    for (const { sql } of edits) await unhindered(sql);
    const seen = amiss(await doctor());
    for (const { edit, check, found, outcome = 'wrong' } of edits)
      expect(
        seen.find(({ name }) => name === check),
        edit,
      ).toMatchObject({ outcome, found: expect.stringMatching(found) });
    const after = await doctor({ repair: 'repair' });
    for (const { edit, check, mend } of edits) {
      const repairs = after.repairs?.filter(({ name }) => name === check) ?? [];
      if (mend === undefined) {
        expect(repairs, edit).not.toEqual([]);
        expect(repairs.filter(({ error }) => error !== undefined)).toEqual([]);
      } else expect(amiss(after).map(({ name }) => name)).toContain(check);
    }
    for (const { mend } of edits.toReversed()) if (mend !== undefined) await unhindered(mend);
    await doctor({ repair: 'repair' });
    const again = await doctor({ repair: 'repair' });
    expect(amiss(again)).toEqual([]);
    expect(again.repairs).toEqual([]);
  });
});

describe('doctor --repair', () => {
  it('says with --dry-run what it would do, and does nothing', async () => {
    await unhindered(
      `update internal.location_counters set value = 0 where name = 'order'; drop trigger touch on orders`,
    );
    const before = amiss(await doctor());
    const dry = await doctor({ repair: 'dry run' });
    expect(dry.repairs).toEqual([
      {
        name: 'functions and triggers',
        location: null,
        done: [
          { what: 'functions, triggers and time zones', before: null, after: 'made again where they differ' },
        ],
      },
      {
        name: 'order numbers',
        location: api.locationId,
        done: [{ what: 'the counter of orders', before: 0, after: 3 }],
      },
    ]);
    expect(amiss(dry)).toEqual(before);
    expect((await doctor({ repair: 'repair' })).repairs).toHaveLength(2);
    expect(amiss(await doctor())).toEqual([]);
  });

  it('writes down in the audit what it did', async () => {
    await unhindered(`update internal.location_counters set value = 0 where name = 'order'`);
    await doctor({ repair: 'repair' });
    const rows = await superuser.sql`
      select actor_kind, operation, changes from audit_entries where operation = 'doctor.repair' order by created_at desc, id desc limit 1`;
    expect(rows).toEqual([
      {
        actor_kind: 'command_line',
        operation: 'doctor.repair',
        changes: {
          before: { invariant: null, 'the counter of orders': 0 },
          after: { invariant: 'order numbers', 'the counter of orders': 3 },
        },
      },
    ]);
  });

  it('counts again while orders are placed, to the last of them', async () => {
    const placing = (async () => {
      for (let round = 0; round < 8; round += 1)
        await Promise.all(Array.from({ length: 5 }, () => placeOrder(api, kitchen)));
    })();
    let done = false;
    void placing.finally(() => {
      done = true;
    });
    while (!done) {
      await unhindered(`update internal.tallies set n = n + 7 where name like 'order%'`);
      expect((await doctor({ repair: 'repair' })).repairs?.filter(({ error }) => error)).toEqual([]);
    }
    await placing;
    await doctor({ repair: 'repair' });
    expect(amiss(await doctor())).toEqual([]);
    const orders = (await api.rest('GET /v2/orders?limit=1')).body as { pagination: { total: number } };
    const there = await superuser.sql('select from orders');
    expect(orders.pagination.total).toBe(there.length);
    await unhindered(`delete from payments where order_id in (select id from orders where number > 3);
      delete from order_items where order_id in (select id from orders where number > 3);
      delete from orders where number > 3; update internal.location_counters set value = 3 where name = 'order'`);
    await doctor({ repair: 'repair' });
  });

  it('says what a permission keeps it from', async () => {
    await unhindered(`update internal.location_counters set value = 0 where name = 'order'`);
    await superuser.sql(`create function nobody_counts() returns trigger language plpgsql as
      $$ begin raise exception 'the counters are frozen'; end $$`);
    await superuser.sql`
      create trigger a before update on internal.location_counters execute function nobody_counts()`;
    const { repairs, outcome } = await doctor({ repair: 'repair' });
    expect(repairs).toEqual([
      { name: 'order numbers', location: api.locationId, done: [], error: 'the counters are frozen' },
    ]);
    expect(outcome).toBe('wrong');
    await superuser.sql('drop trigger a on internal.location_counters; drop function nobody_counts()');
    await doctor({ repair: 'repair' });
  });

  it('says how far it looked when time was up, and at how many of the newest', async () => {
    const short = await doctor({ thresholds: { probeSeconds: 0, invariantSeconds: 0 } });
    expect(short.checks.find(({ name }) => name === 'payments')).toMatchObject({
      outcome: 'unknown',
      found: 'could not be looked at: time was up',
    });
    const found = (diagnosis: Diagnosis) => diagnosis.checks.find(({ name }) => name === 'payments')?.found;
    expect(found(await doctor())).toBe(
      'all agree (looked at the newest 2,000 of 1 location; --deep looks at all)',
    );
    expect(found(await doctor({ deep: true }))).toBe('all agree (looked at 1 location)');
  });
});
