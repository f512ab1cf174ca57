import type { Database } from '@comanda/db';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { JoinedReads } from '../../packages/api/src/capacity/joined-reads.ts';
import type { JoinedWrite } from '../../packages/api/src/capacity/joined-writes.ts';
import type { OrderRequest } from '../../packages/api/src/resources/orders/facts.rules.ts';
import { readFacts } from '../../packages/api/src/resources/orders/facts.store.ts';
import type { PlacedOrder } from '../../packages/api/src/resources/orders/placing.store.ts';
import { decideOrder } from '../../packages/api/src/resources/orders/rules.ts';
import { useDatabase, useTestDatabase } from './database.ts';
import {
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from './factories.ts';
import { sqlOf } from './sql.ts';

/** The counts that are kept of location $1, by name, without the version of its catalog. */
export const keptCounts = `select name, sum(n)::int as n from (
    select name, n from internal.tallies where location_id = $1 and hours in (0, 1)
    union all select name, n from internal.tally_notes where location_id = $1) t
  where name <> 'catalog' group by name order by name`;

/** One of two places that are the same except for their ids. */
export interface Twin {
  locationId: string;
  apiKeyId: string;
  products: string[];
  items: string[];
  methods: string[];
  /** Of all ids met, so that two twins can be compared. */
  names: Map<string, string>;
}

/** A database for the tests of a file, in which the same is done in two places. */
export function useTwins() {
  const database = useDatabase(useTestDatabase());
  const sql = sqlOf(database);
  const read = async ({ locationId }: Twin): Promise<[last: string, token: number]> => {
    const [row] = await sql<{ last: string; token: number }>`
      select (select coalesce(max(id), 0) from internal.captured_changes) as last, catalog_token(${locationId})::int as token`;
    return [row?.last ?? '', row?.token ?? 0];
  };
  return {
    database,
    sql,
    open: () => openTwin(database),
    /** The result of `work`, which gets the last captured change before, and whether the catalog has another version since. */
    async during<Done extends object>(twin: Twin, work: (since: string) => Promise<Done>) {
      const [since, before] = await read(twin);
      const done = await work(since);
      const [, after] = await read(twin);
      // How often the catalog is counted up says nothing, only whether it is.
      return { ...done, moved: after > before };
    },
  };
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

/** The content of an order, by the places of products and methods. */
export interface Wish {
  lines: { product: number; quantity: number; chosen: number }[];
  method: number;
  externalId: string;
  key: string;
  channel: string | undefined;
  passesPause?: boolean;
}

const requestOf = (
  { products, items, methods }: Twin,
  { lines, method, externalId, channel }: Wish,
): OrderRequest => ({
  external_id: externalId,
  is_take_away: true,
  identifier: 'T',
  channel,
  payment_method_id: methods[method] ?? '',
  items: lines.map(({ product, quantity, chosen }) => ({
    product_id: products[product] ?? '',
    quantity,
    ...(chosen > 0 && { subselections: [{ item_id: items[product] ?? '', quantity: chosen }] }),
  })),
});

/** Decides the orders as calls do that come at this moment; what is left is decided where it is taken. */
export async function decided(
  database: Database,
  twin: Twin,
  wishes: readonly Wish[],
  origins: readonly string[],
): Promise<PlacedOrder[]> {
  const joined = new JoinedReads(database);
  const members: PlacedOrder[] = [];
  for (const [index, wish] of wishes.entries()) {
    const request = requestOf(twin, wish);
    const facts = await readFacts(joined, twin.locationId, request);
    const { order } = decideOrder(request, facts);
    members.push({
      request,
      order,
      apiKeyId: twin.apiKeyId,
      operation: 'orders.create',
      ttlHours: 24,
      key: wish.key,
      requestHash: Buffer.from(JSON.stringify(wish.lines).padEnd(32)),
      origin: origins[index] ?? '',
      passesPause: wish.passesPause ?? false,
    });
  }
  return members;
}

/** The members as the queue forms batches of them: a member that does not join is the first of the next batch. */
export function batchesOf<Member>(
  { joins }: Pick<JoinedWrite<Member, unknown>, 'joins'>,
  members: readonly Member[],
): Member[][] {
  const batches: Member[][] = [];
  for (const member of members) {
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < bounds.joined.writes && joins(batch, member))
      batch.push(member);
    else batches.push([member]);
  }
  return batches;
}

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const anyMoment = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;

/** A text whose ids are names; payments by the order of their appearance. */
export function named(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(anyMoment, 'moment').replace(anyId, (id) => names.get(id) ?? id);
}

/** All rows of a location's orders, except for times. */
export async function stateOf(
  database: Database,
  { locationId, names }: Twin,
  ids: readonly string[],
  { since, keys = [] }: { since: string; keys?: readonly string[] },
): Promise<unknown> {
  const sql = sqlOf(database);
  const payments = await sql<{ id: string; order_id: string }>`
    select id, order_id from payments where location_id = ${locationId} and order_id = any (${ids})`;
  for (const { id, order_id } of payments) names.set(id, `payment of ${names.get(order_id) ?? order_id}`);
  const state = {
    orders: await sql`
      select o.id, to_jsonb(o) - '{created_at,updated_at,turn_id,revision}'::text[] as row, o.revision > 1 as revised from orders o
      where location_id = ${locationId} and id = any (${ids}) order by number`,
    lines:
      await sql`select to_jsonb(i) as row from order_items i where location_id = ${locationId} and order_id = any (${ids})
      order by array_position(${ids}::uuid[], order_id), position`,
    payments: await sql`
      select to_jsonb(p) - '{created_at,updated_at}'::text[] as row from payments p
      where location_id = ${locationId} and order_id = any (${ids}) order by array_position(${ids}::uuid[], order_id)`,
    stock:
      await sql`select product_id, quantity from product_stock where location_id = ${locationId} order by product_id`,
    choices:
      await sql`select id, stock_quantity from subselection_items where location_id = ${locationId} order by id`,
    captured: await sql`
      select seed, resource, operation,
        case when before is null then array(select r from unnest(resource_ids) as r order by r) else resource_ids end as resource_ids,
        changed, before, after, in_catalog, request_id, traceparent
      from internal.captured_changes where location_id = ${locationId} and id > ${since} order by id`,
    counts: await sql(keptCounts, [locationId]),
    keys: await sql`
      select key, response from internal.idempotency_keys where location_id = ${locationId} and key = any (${keys}) order by key`,
    moves: await sql`
      select to_jsonb(m) - '{id,moved_at}'::text[] as row from internal.order_moves m
      where location_id = ${locationId} and order_id = any (${ids}) order by id`,
    audit: await sql`select count(*) from audit_entries where location_id = ${locationId}`,
  };
  // Of a seed only that counts, which rows share it.
  const seeds = [...new Set(state.captured.map(({ seed }) => seed))];
  for (const row of state.captured) row.seed = seeds.indexOf(row.seed);
  return JSON.parse(named(JSON.stringify(state), names)) as unknown;
}
