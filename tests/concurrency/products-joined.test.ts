import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { writeProduct } from '../../packages/api/src/resources/products/statements.ts';
import { type ProductChange, updating } from '../../packages/api/src/resources/products/updating.store.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { seedOf, trials } from '../support/trials.ts';
import { batchesOf, keptCounts, named, type Twin, useTwins } from '../support/twins.ts';

const { database, sql, open, during } = useTwins();
const batches = trials(60, 2_000);
const seed = seedOf(7);

/** The requested change, by the position of its product; the last position has no product. */
interface Wanted extends Omit<ProductChange, 'id'> {
  product: number;
}

const wantedOf = (chance: Chance): Wanted => {
  const fields = {
    ...(chance.percent(50) && { price: chance.between(1, 3) }),
    ...(chance.percent(30) && { name: `Name ${chance.between(1, 2)}` }),
    ...(chance.percent(20) && { visible: chance.percent(50) }),
  };
  const stock = { enabled: chance.percent(70), quantity: chance.between(0, 2), min_stock_alarm: 0 };
  return {
    product: chance.between(0, 6),
    fields: Object.keys(fields).length === 0 ? null : JSON.stringify(fields),
    stock: chance.percent(40) ? JSON.stringify(stock) : null,
    origin: newId(),
  };
};

async function stateOf(
  { locationId, names }: Twin,
  since: string,
): Promise<{ changes: string[]; state: unknown }> {
  const captured = await sql`
    select seed, resource, operation, resource_ids, changed, before, after, in_catalog, request_id, traceparent
    from internal.captured_changes where location_id = ${locationId} and id > ${since} order by id`;
  // Each change by itself, whichever was first: what it captured under its seed.
  const seeds = [...new Set(captured.map(({ seed: of }) => String(of)))];
  const changes = seeds.map((of) =>
    named(JSON.stringify(captured.filter((row) => row.seed === of).map(({ seed: _, ...row }) => row)), names),
  );
  const state = {
    products: await sql`
      select to_jsonb(p) - '{created_at,updated_at,revision,sku}'::text[] as row, p.revision > 1 as revised
      from products p where location_id = ${locationId} order by id`,
    stock: await sql`
      select product_id, enabled, quantity from product_stock where location_id = ${locationId} order by product_id`,
    counts: await sql(keptCounts, [locationId]),
  };
  return { changes: changes.sort(), state: JSON.parse(named(JSON.stringify(state), names)) as unknown };
}

test(`products changed in one batch are what the same calls make one by one (COMANDA_SEED=${seed})`, async () => {
  const [together, alone] = [await open(), await open()];
  const skus = new Map<string, string>();
  for (const twin of [together, alone])
    for (const [index, id] of twin.products.entries()) {
      const [product] = await sql`select sku from products where id = ${id}`;
      skus.set(String(product?.sku), `sku ${index}`);
    }
  let captured = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const chance = createChance(seed + batch);
    const wanted = Array.from({ length: chance.between(2, 24) }, () => wantedOf(chance));
    const outcomes = [];
    for (const twin of [together, alone]) {
      const ids = [...twin.products, newId()];
      const members = wanted.map(
        ({ product, ...change }): ProductChange => ({ id: ids[product] ?? '', ...change }),
      );
      const outcome = await during(twin, async (since) => {
        const answers: unknown[] = [];
        for (const part of batchesOf(updating, members)) {
          if (twin === together)
            for (const updated of await updating.write(database, twin.locationId, part, false))
              answers.push(updated?.doc ?? null);
          else
            for (const { id, fields, stock, origin } of part) {
              const values = [twin.locationId, id, false, fields, null, stock, origin];
              const [written] = await database.run(writeProduct, values);
              answers.push(written?.doc ?? null);
            }
        }
        const text = named(JSON.stringify(answers), twin.names);
        const shown = [...skus].reduce((all, [sku, name]) => all.replaceAll(sku, name), text);
        return { answers: shown, state: await stateOf(twin, since) };
      });
      outcomes.push(outcome);
    }
    expect(outcomes[0], `batch ${batch}`).toEqual(outcomes[1]);
    captured += outcomes[0]?.state.changes.length ?? 0;
  }
  process.stdout.write(`products joined: seed ${seed}, ${batches} batches, ${captured} changes\n`);
  expect(captured).toBeGreaterThan(batches);
}, 3_600_000);
