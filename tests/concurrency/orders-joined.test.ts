import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { type Placed, placing } from '../../packages/api/src/resources/orders/placing.store.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { seedOf, trials } from '../support/trials.ts';
import { batchesOf, decided, named, stateOf, useTwins, type Wish } from '../support/twins.ts';

const { database, sql, open, during } = useTwins();
const batches = trials(150, 10_000);
const seed = seedOf(7);

const wishOf = (chance: Chance, earlier: readonly Wish[]): Wish => {
  if (chance.percent(10)) return chance.pick(earlier);
  return {
    lines: Array.from({ length: chance.between(1, 3) }, () => ({
      product: chance.between(0, 5),
      quantity: chance.between(1, 2),
      chosen: chance.percent(40) ? chance.between(1, 2) : 0,
    })),
    method: chance.percent(90) ? 0 : 1,
    externalId: chance.percent(25) ? chance.pick(earlier).externalId : randomUUID(),
    key: chance.percent(5) ? chance.pick(earlier).key : randomUUID(),
    channel: chance.percent(50) ? 'counter' : undefined,
    passesPause: chance.percent(50),
  };
};

test(`orders made in one batch are what the same calls make one by one (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const [together, alone] = [await open(), await open()];
  const first = { lines: [{ product: 5, quantity: 1, chosen: 0 }], method: 0, channel: undefined };
  let earlier: Wish[] = [{ ...first, externalId: newId(), key: newId() }];
  const met: Record<Placed['outcome'], number> = {
    created: 0,
    replayed: 0,
    reused: 0,
    stale: 0,
    busy: 0,
    taken: 0,
    short: 0,
    paused: 0,
  };
  for (let batch = 0; batch < batches; batch += 1) {
    const wishes = Array.from({ length: chance.between(2, 24) }, () => wishOf(chance, earlier));
    const left = Array.from({ length: 6 }, () => [chance.between(0, 3), chance.between(0, 3)] as const);
    const changed = chance.percent(20) ? chance.between(0, 5) : undefined;
    const disables = chance.percent(20);
    const pauses = chance.percent(20);
    const origins = wishes.map(() => `${newId()} 00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01`);
    const outcomes = [];
    for (const twin of [together, alone]) {
      const { locationId, products, items, methods, names } = twin;
      for (const [index, [stock, choices]] of left.entries()) {
        await sql`update product_stock set quantity = ${stock} where location_id = ${locationId} and product_id = ${products[index]}`;
        await sql`update subselection_items set stock_quantity = ${choices}
          where location_id = ${locationId} and id = ${items[index]} and stock_enabled`;
      }
      await sql`update payment_methods set enabled = true where location_id = ${locationId}`;
      await sql`update locations set paused = ${pauses} where id = ${locationId}`;
      const members = await decided(database, twin, wishes, origins);
      if (changed !== undefined)
        await sql`update products set price = price + 0.01 where location_id = ${locationId} and id = ${products[changed]}`;
      if (disables)
        await sql`update payment_methods set enabled = false where location_id = ${locationId} and id = ${methods[1]}`;
      const parts = twin === together ? batchesOf(placing, members) : members.map((member) => [member]);
      const outcome = await during(twin, async (since) => {
        const placed: Placed[] = [];
        for (const part of parts) placed.push(...(await placing.write(database, locationId, part, false)));
        const made = placed.map((each) => (each.outcome === 'created' ? each.id : newId()));
        for (const [index, id] of made.entries()) names.set(id, `order ${batch} ${index}`);
        if (twin === together) for (const { outcome } of placed) met[outcome] += 1;
        const state = await stateOf(database, twin, made, { since, keys: members.map(({ key }) => key) });
        return {
          placed: placed.map((each) => JSON.parse(named(JSON.stringify(each), names)) as unknown),
          state,
        };
      });
      outcomes.push(outcome);
    }
    const [first, second] = outcomes;
    expect(first?.placed, `batch ${batch}`).toEqual(second?.placed);
    expect(first?.moved, `batch ${batch}`).toBe(second?.moved);
    expect(first?.state, `batch ${batch}`).toEqual(second?.state);
    earlier = [...earlier, ...wishes].slice(-30);
  }
  process.stdout.write(`orders joined: seed ${seed}, ${batches} batches, ${JSON.stringify(met)}\n`);
  for (const outcome of ['created', 'replayed', 'reused', 'stale', 'taken', 'short', 'paused'] as const)
    expect(met[outcome], outcome).toBeGreaterThan(0);
}, 3_600_000);
