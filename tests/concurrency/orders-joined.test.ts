import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { type Placed, placing } from '../../packages/api/src/resources/orders/placing.store.ts';
import { type Chance, createChance } from '../e2e/day/chance.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { thorough, trials } from '../support/trials.ts';
import {
  batchesOf,
  catalogToken,
  decided,
  lastTold,
  named,
  openTwin,
  stateOf,
  type Wish,
} from '../support/twins.ts';

const database = useDatabase(useTestDatabase());
const batches = trials(150, 10_000);
const seed = Number(process.env.COMANDA_SEED ?? (thorough ? Math.floor(Math.random() * 1e9) : 7));

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
  };
};

test(`orders made in one batch are what the same calls make one by one (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const [together, alone] = [await openTwin(database), await openTwin(database)];
  const first = { lines: [{ product: 5, quantity: 1, chosen: 0 }], method: 0, channel: undefined };
  let earlier: Wish[] = [{ ...first, externalId: newId(), key: newId() }];
  const met: Record<Placed['outcome'], number> = {
    ...{ created: 0, replayed: 0, reused: 0, stale: 0, busy: 0, taken: 0, short: 0 },
  };
  for (let batch = 0; batch < batches; batch += 1) {
    const wishes = Array.from({ length: chance.between(2, 24) }, () => wishOf(chance, earlier));
    const left = Array.from({ length: 6 }, () => [chance.between(0, 3), chance.between(0, 3)] as const);
    const changed = chance.percent(20) ? chance.between(0, 5) : undefined;
    const disables = chance.percent(20);
    const origins = wishes.map(() => `${newId()} 00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01`);
    const outcomes = [];
    for (const twin of [together, alone]) {
      const set = async (text: string, values: unknown[]) =>
        database.pool.query(text, [twin.locationId, ...values]);
      for (const [index, [stock, items]] of left.entries()) {
        await set('update product_stock set quantity = $3 where location_id = $1 and product_id = $2', [
          twin.products[index],
          stock,
        ]);
        await set(
          'update subselection_items set stock_quantity = $3 where location_id = $1 and id = $2 and stock_enabled',
          [twin.items[index], items],
        );
      }
      await set('update payment_methods set enabled = true where location_id = $1', []);
      const members = await decided(database, twin, wishes, origins);
      if (changed !== undefined)
        await set('update products set price = price + 0.01 where location_id = $1 and id = $2', [
          twin.products[changed],
        ]);
      if (disables)
        await set('update payment_methods set enabled = false where location_id = $1 and id = $2', [
          twin.methods[1],
        ]);
      const [since, token] = [await lastTold(database), await catalogToken(database, twin)];
      const placed: Placed[] = [];
      const parts = twin === together ? batchesOf(placing, members) : members.map((member) => [member]);
      for (const part of parts) placed.push(...(await placing.write(database, twin.locationId, part, false)));
      const made = placed.map((each) => (each.outcome === 'created' ? each.id : newId()));
      for (const [index, id] of made.entries()) twin.names.set(id, `order ${batch} ${index}`);
      const state = await stateOf(database, twin, made, { since, keys: members.map(({ key }) => key) });
      // How often the catalog is counted up says nothing, only whether it is.
      const moved = (await catalogToken(database, twin)) > token;
      const shown = placed.map((each) => JSON.parse(named(JSON.stringify(each), twin.names)) as unknown);
      outcomes.push({ placed: shown, moved, state });
      if (twin === together) for (const { outcome } of placed) met[outcome] += 1;
    }
    const [first, second] = outcomes;
    expect(first?.placed, `batch ${batch}`).toEqual(second?.placed);
    expect(first?.moved, `batch ${batch}`).toBe(second?.moved);
    expect(first?.state, `batch ${batch}`).toEqual(second?.state);
    earlier = [...earlier, ...wishes].slice(-30);
  }
  process.stdout.write(`orders joined: seed ${seed}, ${batches} batches, ${JSON.stringify(met)}\n`);
  for (const outcome of ['created', 'replayed', 'reused', 'stale', 'taken', 'short'] as const)
    expect(met[outcome], outcome).toBeGreaterThan(0);
}, 3_600_000);
