import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { moving, type OrderMove } from '../../packages/api/src/resources/orders/moving.store.ts';
import { placing } from '../../packages/api/src/resources/orders/placing.store.ts';
import type { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { seedOf, trials } from '../support/trials.ts';
import { batchesOf, decided, named, stateOf, type Twin, useTwins } from '../support/twins.ts';

const { database, sql, open, during } = useTwins();
const batches = trials(60, 2_000);
const seed = seedOf(7);

/** The requested move, by the position of its order; the last position has no order. */
interface Wanted {
  order: number;
  to: OrderStatus;
  reason: string | undefined;
  origin: string;
}

const ordersOfBatch = 12;

const wantedOf = (chance: Chance): Wanted => {
  const to = chance.pick(['ready', 'ready', 'closed', 'canceled', 'canceled', 'pending'] as const);
  return {
    order: chance.between(0, ordersOfBatch),
    to,
    reason: to === 'canceled' && chance.percent(50) ? 'not wanted' : undefined,
    origin: `${newId()}${chance.percent(50) ? ` 00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01` : ''}`,
  };
};

/** Orders with stock and choices, pending; some of them with a payment that is completed. */
async function placed(twin: Twin, chance: Chance, batch: number): Promise<string[]> {
  const wishes = Array.from({ length: ordersOfBatch }, (_, index) => ({
    lines: Array.from({ length: chance.between(1, 3) }, () => ({
      product: chance.between(0, 5),
      quantity: chance.between(1, 2),
      chosen: chance.between(0, 2),
    })),
    method: 0,
    externalId: `${batch} ${index}`,
    key: randomUUID(),
    channel: undefined,
  }));
  const origins = wishes.map((_, index) => `made-${batch}-${index}`);
  const ids: string[] = [];
  const members = await decided(database, twin, wishes, origins);
  for (const made of await placing.write(database, twin.locationId, members, false)) {
    if (made.outcome !== 'created') throw new Error(`not created: ${made.outcome}`);
    twin.names.set(made.id, `order ${batch} ${ids.length}`);
    ids.push(made.id);
  }
  const paid = ids.filter(() => chance.percent(20));
  await sql`
    update payments set status = 'completed' where location_id = ${twin.locationId} and order_id = any (${paid}::uuid[])`;
  return [...ids, newId()];
}

const legal: Partial<Record<string, readonly OrderStatus[]>> = {
  pending: ['ready', 'canceled'],
  ready: ['closed', 'canceled'],
};

/** The move as an UPDATE that triggers capture, count and settle, in a transaction of its own. */
async function byTriggers({ locationId }: Twin, { id, to, reason, origin, apiKeyId }: OrderMove) {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `select set_config('comanda.request_id', $1, true), set_config('comanda.api_key_id', $2, true)`,
      [origin, apiKeyId],
    );
    const { rows } = await client.query(
      'select status from orders where location_id = $1 and id = $2 for no key update',
      [locationId, id],
    );
    const previous = (rows[0]?.status as OrderStatus | undefined) ?? null;
    const moves = legal[previous ?? '']?.includes(to) === true;
    if (moves)
      await client.query(
        `update orders set status = $3, cancel_reason = coalesce($4, cancel_reason) where location_id = $1 and id = $2`,
        [locationId, id, to, reason ?? null],
      );
    const shown = await client.query('select doc from orders_json($1, array[$2::uuid])', [locationId, id]);
    await client.query('commit');
    return { previous, response: moves ? (shown.rows[0]?.doc as string) : null };
  } finally {
    client.release();
  }
}

test(`orders moved in one batch are what triggers make of the same moves one by one (COMANDA_SEED=${seed})`, async () => {
  const [together, alone] = [await open(), await open()];
  const met: Record<string, number> = {};
  for (let batch = 0; batch < batches; batch += 1) {
    const wanted = Array.from({ length: createChance(seed + batch).between(2, 24) }, (_, index) =>
      wantedOf(createChance(seed + batch + 1_000 * (index + 1))),
    );
    const outcomes = [];
    for (const twin of [together, alone]) {
      await sql`update product_stock set quantity = 100 where location_id = ${twin.locationId}`;
      await sql`update subselection_items set stock_quantity = 100 where location_id = ${twin.locationId}`;
      const ids = await placed(twin, createChance(seed + batch), batch);
      twin.names.set(ids.at(-1) ?? '', `no order ${batch}`);
      const members = wanted.map(
        ({ order, ...move }): OrderMove => ({ id: ids[order] ?? '', apiKeyId: twin.apiKeyId, ...move }),
      );
      const outcome = await during(twin, async (since) => {
        const answers: unknown[] = [];
        for (const part of batchesOf(moving, members)) {
          if (twin === together)
            for (const moved of await moving.write(database, twin.locationId, part, false))
              answers.push({ previous: moved?.previous, response: moved?.response });
          else for (const member of part) answers.push(await byTriggers(twin, member));
        }
        const state = await stateOf(database, twin, ids, { since });
        return { answers: JSON.parse(named(JSON.stringify(answers), twin.names)) as unknown, state };
      });
      outcomes.push(outcome);
    }
    const [first, second] = outcomes;
    expect(first, `batch ${batch}`).toEqual(second);
    for (const { to } of wanted) met[to] = (met[to] ?? 0) + 1;
  }
  process.stdout.write(`moves joined: seed ${seed}, ${batches} batches, ${JSON.stringify(met)}\n`);
}, 3_600_000);
