import { beforeEach, expect, it } from 'vitest';
import { itemsPerChunk } from '../../packages/api/src/resources/sync-jobs/apply.store.ts';
import { createChance } from '../support/chance.ts';
import { createLocation } from '../support/factories.ts';
import { useWorkerKit } from './kit.ts';
import { createSyncKit, item, outcome, type SyncKit } from './sync-kit.ts';

const kit = useWorkerKit();
let sync: SyncKit;
let locationId: string;
beforeEach(async () => {
  locationId = await createLocation(kit.database);
  sync = createSyncKit(kit, locationId);
});

it.each([itemsPerChunk, 3, 2, 1])(
  'hands a sku on as if the items were applied one by one, in chunks of %i',
  async (size) => {
    await sync.run(['a', 'b', 'c'].map((sku) => item(sku, { sku })));
    const skus = { c: 'd', b: 'c', a: 'b', n: 'a' };
    const given = Object.entries(skus).map(([name, sku]) => item(name, { sku }));
    expect(outcome(await sync.run(given, 'upsert', size))).toEqual(['completed', 4, 4, 0]);
    const swapped = await sync.run(
      [item('a', { sku: 'c' }), item('b', { sku: 'x' }), item('c', { sku: 'c' })],
      'upsert',
      size,
    );
    expect(swapped.errors.map(({ index }) => index)).toEqual([0]);
    const found = await sync.products();
    expect(['a', 'b', 'c', 'n'].map((name) => found[`e-${name}`]?.sku)).toEqual(['b', 'x', 'c', 'a']);
  },
);

it('hands skus on across chunks as within one', async () => {
  const chance = createChance(11);
  const other = await createLocation(kit.database);
  const chunked = createSyncKit(kit, other);
  // Ids are the skus of products that got none.
  const skusOf = async (place: SyncKit) =>
    Object.entries(await place.products())
      .map(([name, { sku }]) => [name, String(sku).length > 3 ? 'own' : sku])
      .sort();
  let failures = 0;
  for (let round = 0; round < 12; round += 1) {
    const names = Array.from({ length: 8 }, (_, n) => n).sort(() => chance.pick([-1, 1]));
    const items = names.map((n) => {
      const stock = { enabled: true, quantity: chance.between(0, 2), min_stock_alarm: 0 };
      return item(n, {
        name: `Product ${chance.between(0, 2)}`,
        stock,
        ...(chance.percent(80) && { sku: `s${chance.between(0, 8)}` }),
      });
    });
    const whole = await sync.run(items);
    const parts = await chunked.run(items, 'upsert', chance.between(1, 5));
    expect(parts.errors, `round ${round}`).toEqual(whole.errors);
    expect(outcome(parts)).toEqual(outcome(whole));
    expect(await skusOf(chunked), `round ${round}`).toEqual(await skusOf(sync));
    failures += whole.errors.length;
  }
  expect(failures).toBeGreaterThan(5);
});
