import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { expect, onTestFinished, test } from 'vitest';
import { updating } from '../../packages/api/src/resources/products/updating.store.ts';
import { adjusting, type StockAdjustment } from '../../packages/api/src/resources/stock/adjusting.store.ts';
import { settledQuantity } from '../../packages/api/src/resources/stock/rules.ts';
import type { AdjustedRow } from '../../packages/api/src/resources/stock/statements.ts';
import { type Chance, createChance } from '../support/chance.ts';
import { seedOf, trials } from '../support/trials.ts';
import { batchesOf, keptCounts, named, type Twin, useTwins } from '../support/twins.ts';

const { database, sql, open, during } = useTwins();
const batches = trials(60, 2_000);
const seed = seedOf(7);

/** The requested adjustment, by the position of its product; the last two have no stock and do not exist. */
interface Wanted {
  product: number;
  adjust: number;
  expected: number | undefined;
  key: string;
  origin: string;
}

const wantedOf = (chance: Chance, earlier: readonly Wanted[]): Wanted => {
  // The same call again, or its key with another body.
  if (earlier.length > 0 && chance.percent(10))
    return { ...chance.pick(earlier), ...(chance.percent(30) && { adjust: 0.25 }) };
  return {
    product: chance.percent(10) ? chance.between(6, 7) : chance.between(0, 5),
    adjust: chance.pick([-3, -1.5, -1, 0.125, 1, 2, 9_999_999_999]),
    expected: chance.percent(25) ? chance.between(0, 4) : undefined,
    key: randomUUID(),
    origin: `${newId()} 00-${randomUUID().replaceAll('-', '')}-b7ad6b7169203331-01`,
  };
};

type Place = Twin & { ids: readonly string[] };

const memberOf = ({ ids, apiKeyId }: Place, wanted: Wanted): StockAdjustment => {
  const { product, adjust, expected, key, origin } = wanted;
  return {
    change: { id: ids[product] ?? '', adjust, ...(expected !== undefined && { expected }) },
    apiKeyId,
    operation: 'stock.adjust',
    key,
    ttlHours: 24,
    requestHash: Buffer.from(`${product} ${adjust} ${expected}`.padEnd(32)),
    origin: `${origin} ${apiKeyId}`,
  };
};

async function openPlace(): Promise<Place> {
  const twin = await open();
  const rows = await sql<{ id: string }>`
    insert into products (location_id, name, price, sku) values (${twin.locationId}, 'No stock', 1, 'no stock') returning id`;
  const without = rows[0]?.id ?? '';
  twin.names.set(without, 'product 6');
  return { ...twin, ids: [...twin.products, without, newId()] };
}

async function stateOf({ locationId, names }: Place, since: string, wanted: readonly Wanted[]) {
  const keys = wanted.map(({ key }) => key);
  const requests = wanted.map(({ origin }) => origin.split(' ')[0]);
  const captured = await sql`
    select seed, resource, operation, resource_ids, changed, before, after, in_catalog, request_id, traceparent
    from internal.captured_changes where location_id = ${locationId} and id > ${since} order by id`;
  // Of a seed only that counts, which rows share it.
  const seeds = [...new Set(captured.map(({ seed: of }) => of))];
  for (const row of captured) row.seed = seeds.indexOf(row.seed);
  const state = {
    captured,
    stock: await sql`
      select product_id, enabled, quantity, min_stock_alarm from product_stock where location_id = ${locationId} order by product_id`,
    products: await sql`
      select id, revision > 1 as revised from products where location_id = ${locationId} order by id`,
    keys: await sql`
      select key, api_key_id, encode(request_hash, 'escape') as hash, response from internal.idempotency_keys
      where location_id = ${locationId} and key = any (${keys}) order by key`,
    audit: await sql`
      select actor_kind, api_key_id, request_id, operation, relation, resource_id, row_count, changes
      from audit_entries where location_id = ${locationId} and request_id = any (${requests}) order by request_id, relation`,
    counts: await sql(keptCounts, [locationId]),
  };
  return { captured: captured.length, rows: JSON.parse(named(JSON.stringify(state), names)) as unknown };
}

/** The outcomes by the rules that stock sync applies, of the quantities at first. */
function foretold(wanted: readonly Wanted[], quantities: number[], answers: Map<string, [string, string]>) {
  return wanted.map(({ product, adjust, expected, key }) => {
    const body = `${product} ${adjust} ${expected}`;
    const before = answers.get(key);
    if (before !== undefined) return before[0] === body ? `replayed ${before[1]}` : 'reused';
    const there = quantities[product];
    if (there === undefined) return product === 6 ? 'unknown' : 'nothing';
    const settled = settledQuantity({ adjust, expected }, { quantity: there });
    if ('message' in settled) return `refused ${there}`;
    quantities[product] = settled.quantity;
    const response = JSON.stringify({
      enabled: product < 5,
      quantity: settled.quantity,
      min_stock_alarm: 0,
    });
    answers.set(key, [body, response]);
    return `adjusted ${response}`;
  });
}

const shownOf = (row: AdjustedRow | undefined) => {
  const { outcome, response } = row ?? {};
  if (response == null) return outcome ?? 'none';
  return `${outcome} ${outcome === 'refused' ? Number(response) : response}`;
};

test(`stock adjusted in one batch is what the same calls make one by one (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const [together, alone] = [await openPlace(), await openPlace()];
  const answers = new Map<string, [string, string]>();
  const met: Record<string, number> = {};
  let earlier: Wanted[] = [];
  let joined = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const wanted: Wanted[] = [];
    for (let call = chance.between(2, 24); call > 0; call -= 1)
      wanted.push(wantedOf(chance, [...earlier, ...wanted]));
    const quantities = Array.from({ length: 6 }, () => chance.between(0, 4));
    // A change of the product and its stock by a call comes between them.
    const changed = chance.percent(40) ? chance.between(0, 5) : undefined;
    const outcomes = [];
    for (const twin of [together, alone]) {
      for (const [index, quantity] of quantities.entries())
        await sql`
          update product_stock set quantity = ${quantity} where location_id = ${twin.locationId} and product_id = ${twin.ids[index]}`;
      if (changed !== undefined) {
        const stock = { enabled: changed < 5, quantity: quantities[changed], min_stock_alarm: 0 };
        const change = { id: twin.ids[changed] ?? '', fields: '{"price":3}', origin: newId() };
        const changes = [{ ...change, stock: JSON.stringify(stock) }];
        await updating.write(database, twin.locationId, changes, false);
      }
      const members = wanted.map((each) => memberOf(twin, each));
      const parts = twin === together ? batchesOf(adjusting, members) : members.map((member) => [member]);
      const outcome = await during(twin, async (since) => {
        const rows: (AdjustedRow | undefined)[] = [];
        for (const part of parts) {
          if (part.length > 1) joined += part.length;
          rows.push(...(await adjusting.write(database, twin.locationId, part, false)));
        }
        return { shown: rows.map(shownOf), state: await stateOf(twin, since, wanted) };
      });
      outcomes.push(outcome);
    }
    expect(outcomes[0], `batch ${batch}`).toEqual(outcomes[1]);
    expect(outcomes[0]?.shown, `batch ${batch}`).toEqual(foretold(wanted, quantities, answers));
    for (const shown of outcomes[0]?.shown ?? []) {
      const [outcome = ''] = shown.split(' ');
      met[outcome] = (met[outcome] ?? 0) + 1;
    }
    expect(outcomes[0]?.state.captured).toBe(
      outcomes[0]?.shown.filter((shown) => shown.startsWith('adjusted')).length,
    );
    earlier = [...earlier, ...wanted].slice(-30);
  }
  process.stdout.write(
    `stock joined: seed ${seed}, ${batches} batches, ${joined} calls joined, ${JSON.stringify(met)}\n`,
  );
  expect(joined).toBeGreaterThan(batches);
  for (const outcome of ['adjusted', 'replayed', 'reused', 'refused', 'unknown', 'nothing'])
    expect(met[outcome], outcome).toBeGreaterThan(0);
}, 3_600_000);

test('a key that another transaction holds is busy, and no other call of the batch waits for it', async () => {
  const twin = await openPlace();
  const wanted = [0, 1].map((product) => ({
    product,
    adjust: 2,
    expected: undefined,
    key: randomUUID(),
    origin: newId(),
  }));
  const members = wanted.map((each) => memberOf(twin, each));
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  await client.query('begin');
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended($1::text || 'stock.adjust' || $2::text, 0))`,
    [twin.apiKeyId, wanted[0]?.key],
  );
  const rows = await adjusting.write(database, twin.locationId, members, false);
  expect(rows.map((row) => row?.outcome)).toEqual(['busy', 'adjusted']);
  const [first] = members;
  if (first === undefined) throw new Error('no member');
  const [lone] = await adjusting.write(database, twin.locationId, [first], false);
  expect(lone?.outcome).toBe('busy');
  const waiting = adjusting.write(database, twin.locationId, [first], true);
  await client.query('rollback');
  expect((await waiting)[0]?.outcome).toBe('adjusted');
});
