import { randomUUID } from 'node:crypto';
import { type Database, newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { createJoinedReads } from '../../packages/api/src/places/joined-reads.ts';
import type { OrderRequest } from '../../packages/api/src/resources/orders/facts.rules.ts';
import { readFacts } from '../../packages/api/src/resources/orders/facts.store.ts';
import {
  type Placed,
  type PlacedOrder,
  placing,
} from '../../packages/api/src/resources/orders/placing.store.ts';
import { decideOrder } from '../../packages/api/src/resources/orders/rules.ts';
import { type Chance, createChance } from '../e2e/day/chance.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import {
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from '../support/factories.ts';
import { thorough, trials } from '../support/trials.ts';

const database = useDatabase(useTestDatabase());
const batches = trials(150, 10_000);
const seed = Number(process.env.COMANDA_SEED ?? (thorough ? Math.floor(Math.random() * 1e9) : 7));

/** One of two places that are the same but for their ids. */
interface Twin {
  locationId: string;
  apiKeyId: string;
  products: string[];
  items: string[];
  methods: string[];
  /** Of all ids met, so that two twins can be compared. */
  names: Map<string, string>;
}

async function openTwin(on: Database): Promise<Twin> {
  const locationId = await createLocation(on);
  const products: string[] = [];
  const items: string[] = [];
  for (let each = 0; each < 6; each += 1) {
    const stock = { enabled: each < 5, quantity: 0 };
    const productId = await createProduct(on, { locationId, name: `P${each}`, price: each + 1, stock });
    products.push(productId);
    const choice = { price: 0.5, max: 3, stockEnabled: each % 2 === 0, stockQuantity: 0 };
    items.push(
      ...(
        await createSubselection(on, {
          locationId,
          productId,
          maxSelection: 3,
          single: false,
          items: [choice],
        })
      ).itemIds,
    );
  }
  const methods = [
    await createPaymentMethod(on, { locationId }),
    await createPaymentMethod(on, { locationId, name: 'Card', type: 'card' }),
  ];
  const { id: apiKeyId } = await createKey(on, { locationId });
  const named = (kind: string, ids: string[]) => ids.map((id, index) => [id, `${kind} ${index}`] as const);
  const kinds = [...named('product', products), ...named('item', items), ...named('method', methods)];
  const names = new Map([[locationId, 'location'], [apiKeyId, 'key'], ...kinds]);
  return { locationId, apiKeyId, products, items, methods, names };
}

/** What an order asks for, by the places of products and methods. */
interface Wish {
  lines: { product: number; quantity: number; chosen: number }[];
  method: number;
  externalId: string;
  key: string;
  channel: string | undefined;
}

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

const requestOf = (
  { products, items, methods }: Twin,
  { lines, method, externalId, channel }: Wish,
): OrderRequest => ({
  ...{ external_id: externalId, is_take_away: true, identifier: 'T', channel },
  payment_method_id: methods[method] ?? '',
  items: lines.map(({ product, quantity, chosen }) => ({
    ...{ product_id: products[product] ?? '', quantity },
    ...(chosen > 0 && { subselections: [{ item_id: items[product] ?? '', quantity: chosen }] }),
  })),
});

/** Decides the orders as calls do that come at this moment; what is left is decided where it is taken. */
async function decided(
  twin: Twin,
  wishes: readonly Wish[],
  origins: readonly string[],
): Promise<PlacedOrder[]> {
  const joined = createJoinedReads(database);
  const members: PlacedOrder[] = [];
  for (const [index, wish] of wishes.entries()) {
    const request = requestOf(twin, wish);
    const facts = await readFacts(joined, twin.locationId, request);
    const { order } = decideOrder(request, facts);
    members.push({
      ...{ request, order, apiKeyId: twin.apiKeyId, operation: 'orders.create', ttlHours: 24 },
      ...{
        key: wish.key,
        requestHash: Buffer.from(JSON.stringify(wish.lines).padEnd(32)),
        origin: origins[index] ?? '',
      },
    });
  }
  return members;
}

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const anyMoment = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;

/** A text whose ids are names; payments by the order of their appearance. */
function named(text: string, names: Map<string, string>): string {
  return text.replace(anyMoment, 'moment').replace(anyId, (id) => names.get(id) ?? id);
}

/** Everything that a location has of orders, but for when. */
async function stateOf(
  { locationId, names }: Twin,
  members: readonly PlacedOrder[],
  ids: readonly string[],
  since: bigint,
): Promise<string> {
  const rows = async (text: string, values: unknown[]) => (await database.pool.query(text, values)).rows;
  const ofOrders = [locationId, ids];
  const payments = await rows(
    'select id, order_id from payments where location_id = $1 and order_id = any ($2)',
    ofOrders,
  );
  for (const { id, order_id } of payments) names.set(id, `payment of ${names.get(order_id) ?? order_id}`);
  const state = {
    orders: await rows(
      `select o.id, to_jsonb(o) - '{created_at,updated_at,turn_id}'::text[] as row from orders o
       where location_id = $1 and id = any ($2) order by number`,
      ofOrders,
    ),
    lines: await rows(
      'select to_jsonb(i) as row from order_items i where location_id = $1 and order_id = any ($2) order by array_position($2::uuid[], order_id), position',
      ofOrders,
    ),
    payments: await rows(
      `select to_jsonb(p) - '{created_at,updated_at}'::text[] as row from payments p
       where location_id = $1 and order_id = any ($2) order by array_position($2::uuid[], order_id)`,
      ofOrders,
    ),
    stock: await rows(
      `select product_id, quantity from product_stock where location_id = $1 order by product_id`,
      [locationId],
    ),
    choices: await rows(
      'select id, stock_quantity from subselection_items where location_id = $1 order by id',
      [locationId],
    ),
    told: await rows(
      `select seed, resource, operation, resource_ids, changed, before, after, in_catalog, request_id, traceparent
       from internal.captured_changes where location_id = $1 and id > $2 order by id`,
      [locationId, since],
    ),
    counts: await rows(
      `select name, sum(n)::int as n from (
         select name, n from internal.tallies where location_id = $1 and hours in (0, 1)
         union all select name, n from internal.tally_notes where location_id = $1) t
       where name <> 'catalog' group by name order by name`,
      [locationId],
    ),
    keys: await rows(
      `select key, response from internal.idempotency_keys where location_id = $1 and key = any ($2) order by key`,
      [locationId, members.map(({ key }) => key)],
    ),
    audit: await rows('select count(*) from audit_entries where location_id = $1', [locationId]),
  };
  return named(JSON.stringify(state), names);
}

const catalogToken = async ({ locationId }: Twin): Promise<number> =>
  (await database.pool.query('select catalog_token($1)::int as token', [locationId])).rows[0].token;

const lastTold = async (): Promise<bigint> =>
  BigInt(
    (await database.pool.query('select coalesce(max(id), 0) as id from internal.captured_changes')).rows[0]
      .id,
  );

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
      const members = await decided(twin, wishes, origins);
      if (changed !== undefined)
        await set('update products set price = price + 0.01 where location_id = $1 and id = $2', [
          twin.products[changed],
        ]);
      if (disables)
        await set('update payment_methods set enabled = false where location_id = $1 and id = $2', [
          twin.methods[1],
        ]);
      const [since, token] = [await lastTold(), await catalogToken(twin)];
      const placed: Placed[] = [];
      // As the queue forms them: what does not join is in the next batch.
      for (let next = 0; next < members.length; ) {
        let end = next + 1;
        while (twin === together && end < members.length) {
          const member = members[end];
          if (member === undefined || !placing.joins(members.slice(next, end), member)) break;
          end += 1;
        }
        placed.push(...(await placing.write(database, twin.locationId, members.slice(next, end), false)));
        next = end;
      }
      const made = placed.map((each) => (each.outcome === 'created' ? each.id : newId()));
      for (const [index, id] of made.entries()) twin.names.set(id, `order ${batch} ${index}`);
      const state = await stateOf(twin, members, made, since);
      // How often the catalog is counted up says nothing, only whether it is.
      const moved = (await catalogToken(twin)) > token;
      const shown = placed.map((each) => JSON.parse(named(JSON.stringify(each), twin.names)) as unknown);
      outcomes.push({ placed: shown, moved, state });
      if (twin === together) for (const { outcome } of placed) met[outcome] += 1;
    }
    const [first, second] = outcomes;
    expect(first?.placed, `batch ${batch}`).toEqual(second?.placed);
    expect(first?.moved, `batch ${batch}`).toBe(second?.moved);
    expect(JSON.parse(first?.state ?? ''), `batch ${batch}`).toEqual(JSON.parse(second?.state ?? ''));
    earlier = [...earlier, ...wishes].slice(-30);
  }
  process.stdout.write(`orders joined: seed ${seed}, ${batches} batches, ${JSON.stringify(met)}\n`);
  for (const outcome of ['created', 'replayed', 'reused', 'stale', 'taken', 'short'] as const)
    expect(met[outcome], outcome).toBeGreaterThan(0);
}, 3_600_000);
