import { randomUUID } from 'node:crypto';
import { type Database, newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { moving, type PaymentMove } from '../../packages/api/src/resources/payments/moving.store.ts';
import type { MovedRow } from '../../packages/api/src/resources/payments/statements.ts';
import { useHand } from '../support/by-hand.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { before, cameOf, createPayments, named, type PendingPayment } from '../support/moved-payments.ts';
import { seedOf, trials } from '../support/trials.ts';
import { batchesOf } from '../support/twins.ts';

const own = useTestDatabase();
const database = useDatabase(own);
const owner = useHand(own);
const batches = trials(100, 5_000);
const seed = seedOf(7);

/** One of two locations that differ only in their ids. */
interface Twin {
  locationId: string;
  methodId: string;
  apiKeyIds: string[];
  payments: PendingPayment[];
  /** Of all ids met, so that two twins can be compared. */
  names: Map<string, string>;
}

async function openTwin(on: Database): Promise<Twin> {
  const locationId = await createLocation(on);
  const methodId = await createPaymentMethod(on, { locationId });
  const apiKeyIds = [(await createKey(on, { locationId })).id, (await createKey(on, { locationId })).id];
  const keys = apiKeyIds.map((id, n) => [id, `key ${n}`] as const);
  const names = new Map([[locationId, 'location'], [methodId, 'method'], ...keys]);
  return { locationId, methodId, apiKeyIds, payments: [], names };
}

/** The request of a call, by the positions of payments and keys; a position without a payment is an unknown id. */
interface Wish {
  payment: number;
  to: PaymentMove['to'];
  key: number;
  origin: string;
  clientAddress: string | null;
}

const wishOf = (chance: Chance, fresh: number, last: number): Wish => ({
  // Some are missing, some come twice, some were moved before.
  payment: chance.percent(10)
    ? -1
    : chance.percent(85)
      ? fresh
      : chance.between(Math.max(0, last - 30), last),
  to: chance.percent(65) ? 'completed' : 'rejected',
  key: chance.between(0, 1),
  origin: `${newId()}${chance.percent(80) ? ` 00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01` : ''}`,
  clientAddress: chance.percent(70) ? `192.0.2.${chance.between(1, 9)}` : null,
});

const moveOf = (
  { payments, apiKeyIds }: Twin,
  { payment, to, key, origin, clientAddress }: Wish,
): PaymentMove => ({
  id: payments[payment]?.id ?? newId(),
  to,
  origin,
  clientAddress,
  operation: to === 'completed' ? 'payments.complete' : 'payments.reject',
  apiKeyId: apiKeyIds[key] ?? '',
});

/** The outcome of each, in batches as the queue forms them where `joins` says so; the position in a batch is omitted. */
async function written(
  { locationId }: Twin,
  members: readonly PaymentMove[],
  joins: typeof moving.joins,
): Promise<Pick<MovedRow, 'previous' | 'response'>[]> {
  const moved: Pick<MovedRow, 'previous' | 'response'>[] = [];
  for (const part of batchesOf({ joins }, members))
    for (const row of await moving.write(database, locationId, part, false)) {
      if (row === undefined) throw new Error('a move has no row');
      moved.push({ previous: row.previous, response: row.response });
    }
  return moved;
}

test(`payments moved in one batch are what the same calls move one by one (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const [together, alone] = [await openTwin(database), await openTwin(database)];
  const met = { completed: 0, rejected: 0, refused: 0, missing: 0, waiting: 0, twice: 0 };
  let isOpen = false;
  for (let batch = 0; batch < batches; batch += 1) {
    const size = chance.between(2, 24);
    const first = together.payments.length;
    const wishes = Array.from({ length: size }, (_, n) => wishOf(chance, first + n, first + size - 1));
    const turns = chance.percent(20);
    const outcomes = [];
    for (const twin of [together, alone]) {
      const { locationId, names } = twin;
      if (turns)
        await owner.sql(
          isOpen
            ? "update turns set status = 'closed' where location_id = $1 and status = 'open'"
            : 'insert into turns (location_id) values ($1)',
          [locationId],
        );
      const { rows } = await database.pool.query(
        'select id, batch_number from turns where location_id = $1',
        [locationId],
      );
      for (const { id, batch_number } of rows) names.set(id, `turn ${batch_number}`);
      twin.payments.push(...(await createPayments(database, twin, size)));
      for (const [n, { id, orderId }] of twin.payments.entries()) {
        names.set(id, `payment ${n}`);
        names.set(orderId, `order ${n}`);
      }
      const since = await before(database, locationId);
      const members = wishes.map((wish) => moveOf(twin, wish));
      const moved = await written(twin, members, twin === together ? moving.joins : () => false);
      const of = [...new Set(wishes.map(({ payment }) => payment))].flatMap((n) => twin.payments[n] ?? []);
      const came = await cameOf(database, locationId, of, since);
      // Each move has a seed of its own, which its rows share.
      const seeds = came.captured.map(({ seed }) => String(seed));
      for (const [n, each] of seeds.entries()) names.set(each, `seed ${seeds.indexOf(each)} of ${n}`);
      // Entries of one moment are in no order that counts.
      const [booked, audited] = [came.booked, came.audited].map((rows) =>
        rows.map((row) => JSON.stringify(named(row, names))).sort(),
      );
      outcomes.push({ moved: named(moved, names), came: named({ ...came, booked, audited }, names) });
      if (twin !== together) continue;
      for (const [n, { previous }] of moved.entries()) {
        if (previous === null) met.missing += 1;
        else if (previous !== 'pending') met.refused += 1;
        else met[wishes[n]?.to ?? 'completed'] += 1;
        if (!isOpen && previous === 'pending') met.waiting += 1;
      }
      const made = members.map(({ id }) => id);
      met.twice += made.length - new Set(made).size;
    }
    if (turns) isOpen = !isOpen;
    const [joined, single] = outcomes;
    expect(joined?.moved, `batch ${batch}`).toEqual(single?.moved);
    expect(joined?.came, `batch ${batch}`).toEqual(single?.came);
  }
  process.stdout.write(`payments joined: seed ${seed}, ${batches} batches, ${JSON.stringify(met)}\n`);
  for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(0);
}, 3_600_000);
