import { deepStrictEqual, match, ok } from 'node:assert/strict';
import type { ZodType } from 'zod';
import {
  type Envelope,
  type EventType,
  envelopeOf,
  eventTypes,
} from '../../packages/api/src/resources/events/types.schema.ts';
import { digestOf } from '../faults/support/digest.ts';
import { strictly } from '../support/documented.ts';
import { json } from '../support/money.ts';
import { compareDeliveries, type Published } from './deliveries.ts';
import { expectedCatalog, expectedStock } from './offer.ts';
import { adoptLineIds, chainOf, expectedInList, expectedOrder, statusOf } from './orders.ts';
import { expectedBooks, statusOfPayment } from './payments.ts';
import { comparePlans, plansEnd } from './plans.ts';
import { expectedReport, groupings } from './reports.ts';
import type { Restaurant } from './restaurant.ts';
import type { Service } from './service.ts';
import { inSnapshot } from './snapshot.ts';

export type { Published } from './deliveries.ts';

/** Where the rows and the arrivals of a restaurant are. */
type Place = Pick<Service, 'databaseUrl'> & { consumer: Pick<Service['consumer'], 'receipts' | 'faults'> };

/** When all is quiet, compares each restaurant with its model: no delivery was given up. @throws {Error} at the first difference. */
export async function compare(service: Pick<Service, 'quiet' | 'restaurants'> & Place): Promise<void> {
  await Promise.all(service.restaurants.map(plansEnd));
  await service.quiet();
  for (const restaurant of service.restaurants)
    same((await compareRestaurant(restaurant, service)).dead, 0, 'deliveries that are dead');
}

/** Compares every answer, every row that counts, every event and delivery, which it counts. @throws {Error} at the first difference. */
export async function compareRestaurant(restaurant: Restaurant, place: Place): Promise<Published> {
  await compareRows(restaurant, place);
  await compareOrders(restaurant);
  await compareList(restaurant);
  await comparePayments(restaurant);
  await compareReports(restaurant);
  await compareOffer(restaurant);
  return compareEvents(restaurant, place);
}

/** The first and the last day on which orders were made. */
function daysOf({ model }: Restaurant): string {
  const days = model.orders.map(({ created_at }) => created_at.slice(0, 10)).sort();
  return `from=${days.at(0)}&to=${days.at(-1)}`;
}

/** The export, whole and in pages, has every accepted order and nothing else, oldest first; the lists count the same. */
async function compareOrders(restaurant: Restaurant): Promise<void> {
  const { model, data, ask } = restaurant;
  const exported = async (page = '') =>
    (await data<{ orders: { id: string }[] }>(`GET /v2/orders/export?${daysOf(restaurant)}${page}`)).orders;
  const whole = await exported();
  const byId = new Map(model.orders.map((order) => [order.id, order]));
  const missing = new Map(byId);
  for (const order of whole) {
    const expected = byId.get(order.id);
    same(order, expected && expectedOrder(expected), 'an order of the export');
    missing.delete(order.id);
  }
  same([...missing.keys()], [], 'orders that the export lacks');
  same(whole.length, byId.size, 'orders in the export');
  for (const { created_at } of model.orders) match(created_at, /-0[23]:30$/);
  const pages = [];
  for (let offset = 0; offset < whole.length; offset += 100)
    pages.push(...(await exported(`&limit=100&offset=${offset}`)).map(({ id }) => id));
  same(pages, idsOf(whole), 'pages of the export');
  const numbers = model.orders.map(({ number }) => number).sort((one, other) => one - other);
  same(
    numbers,
    Array.from(numbers.keys(), (index) => index + 1),
    'order numbers',
  );
  for (const status of ['pending', 'ready', 'closed', 'canceled']) {
    const total = model.orders.filter((order) => statusOf(order) === status).length;
    for (const family of ['v1', 'v2']) {
      const { text } = await ask(`GET /${family}/orders?status=${status}&limit=1`);
      same(JSON.parse(text).pagination, { limit: 1, offset: 0, total }, `orders that are ${status}`);
    }
  }
}

/** The list has every order in full, with whom it is for, the numbers of its lines and all its payments. */
async function compareList({ model, data }: Restaurant): Promise<void> {
  const listed = await allOf<{ id: string; items: { line_id?: number }[] }>(
    data,
    'GET /v2/orders?include=details,items,customer,payments&sort=number&order=asc',
  );
  const orders = [...model.orders].sort((one, other) => one.number - other.number);
  same(idsOf(listed), idsOf(orders), 'orders in the list');
  for (const [index, order] of orders.entries()) {
    const shown = listed[index];
    adoptLineIds(order, shown?.items ?? []);
    same(withoutMoments(shown), expectedInList(order), 'an order of the list');
  }
}

/** Without the moments of changes, which the model does not know. */
const withoutMoments = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown, (name, value) => (name === 'updated_at' ? undefined : value)));

async function comparePayments({ model, data }: Restaurant): Promise<void> {
  const payments = await allOf<{ id: string; completed_at?: string }>(data, 'GET /v2/payments?include=books');
  const all = model.orders.flatMap((order) => order.payments.map((payment) => ({ order, payment })));
  const expected = all.map(({ order, payment }) => expectedBooks(order, payment, model.settled));
  const shown = payments.map(({ completed_at: _, ...payment }) => withoutMoments(payment) as { id: string });
  same(sorted(shown), sorted(expected), 'payments');
  const completed = all.filter(({ order, payment }) => statusOfPayment(order, payment) === 'completed');
  same(
    idsOf(payments.filter(({ completed_at }) => completed_at !== undefined)).sort(),
    completed.map(({ payment }) => payment.id).sort(),
    'payments with the moment of their completion',
  );
}

/** Every grouping of the sales report, and the settlements of the turns with their entries. */
async function compareReports(restaurant: Restaurant): Promise<void> {
  const { model, data } = restaurant;
  for (const grouping of groupings) {
    const report = await data<Record<string, unknown> & { total_amount: number; rows: { amount: number }[] }>(
      `GET /v2/sales-reports?${daysOf(restaurant)}&group_by=${grouping}`,
    );
    const expected = expectedReport(model.orders, grouping);
    same(partOf(report, expected), expected, `the report by ${grouping}`);
    const rows = report.rows.reduce((sum, { amount }) => sum + BigInt(Math.round(amount * 100)), 0n);
    same(json(rows), report.total_amount, `the sum of the rows by ${grouping}`);
  }
  const settlements = await data<{ id: string }[]>('GET /v2/settlements');
  same(idsOf(settlements).sort(), [...model.settlements.keys()].sort(), 'settlements');
  for (const [id, { entries, ...expected }] of model.settlements) {
    const settlement = await data<{ payments: { method: string }[] }>(`GET /v2/settlements/${id}`);
    settlement.payments.sort((one, other) => (one.method < other.method ? -1 : 1));
    same(partOf({ ...settlement }, expected), expected, 'a settlement');
    const listed = await allOf<Record<string, unknown>>(data, `GET /v2/settlements/${id}/entries`);
    const shown = listed.map(({ id: _, created_at: __, ...entry }) => JSON.stringify(entry));
    const wanted = entries.map((entry) => JSON.stringify(entry));
    same(shown.sort(), wanted.sort(), 'entries of a settlement');
  }
}

async function compareOffer(restaurant: Restaurant): Promise<void> {
  const { model, data } = restaurant;
  const { categories } = await data<{ categories: unknown[] }>('GET /v2/catalog');
  same(categories, expectedCatalog(model.offer), 'the catalog');
  const listed = await allOf<{ product_id: string; updated_at?: string }>(data, 'GET /v2/stock');
  const shown = listed.map(({ updated_at: _, ...entry }) => [entry.product_id, entry] as const);
  same(new Map(shown), expectedStock(model.offer), 'stock');
  await comparePlans(restaurant);
}

/** Rows that no answer shows: the moves of each order, and idempotency keys of orders that do not exist. */
async function compareRows({ model, locationId }: Restaurant, { databaseUrl }: Place): Promise<void> {
  await inSnapshot(databaseUrl, async (client) => {
    const moved = await client.query<{ id: string; chain: string }>(
      `select order_id as id, string_agg(from_status || '>' || to_status, ' ' order by id) as chain
       from internal.order_moves where location_id = $1 group by 1`,
      [locationId],
    );
    const expected = model.orders.flatMap((order) => {
      // An edit stays in the status in which it was made.
      const chain = ['pending', ...Array.from({ length: order.edits }, () => 'pending'), ...chainOf(order)];
      const moves = chain.slice(1).map((to, index) => `${chain[index]}>${to}`);
      return moves.length === 0 ? [] : [{ id: order.id, chain: moves.join(' ') }];
    });
    same(sorted(moved.rows), sorted(expected), 'moves');
    const orphans = await client.query(
      `select key from internal.idempotency_keys k where location_id = $1 and operation like '%orders.create'
       and not exists (select from orders o where o.location_id = k.location_id and o.id = (k.response::json->>'id')::uuid)`,
      [locationId],
    );
    same(orphans.rows, [], 'keys of orders that do not exist');
    const keys = await client.query<{ key: string }>(
      `select key from internal.idempotency_keys where location_id = $1 and operation like '%orders.create'`,
      [locationId],
    );
    same(keys.rows.map(({ key }) => key).sort(), [...model.answers.keys()].sort(), 'keys of orders');
    const jobs = await client.query<{ id: string }>(
      `select j.id, j.status, j.total_items as total, j.success_items as succeeded, count(p.id)::int as made
       from sync_jobs j left join unnest($2::uuid[], $3::text[]) as named (id, name) on named.id = j.id
       left join products p on p.location_id = j.location_id and starts_with(p.external_id, named.name || '-')
       where j.location_id = $1 group by j.location_id, j.id`,
      [locationId, model.jobs.map(({ id }) => id), model.jobs.map(({ name }) => name)],
    );
    const brought = model.jobs.map(({ id, count }) => ({
      id,
      status: 'completed',
      total: count,
      succeeded: count,
      made: count,
    }));
    same(sorted(jobs.rows), sorted(brought), 'jobs');
  });
}

const documentedBodies = Object.fromEntries(
  eventTypes.map((type) => [type, strictly(envelopeOf(type))]),
) as Record<EventType, ZodType>;

/** Each change is published as often as it happened, as it is documented, and delivered as it is stored. */
async function compareEvents(restaurant: Restaurant, { databaseUrl, consumer }: Place): Promise<Published> {
  const { model, locationId } = restaurant;
  const [rows, brought] = await inSnapshot(databaseUrl, async (client) => {
    const products = await client.query<{ id: string }>(
      `select id from products where location_id = $1 and external_id like 'job-%'`,
      [locationId],
    );
    const found = await client.query<{ id: string; type: EventType; resource: string; body: string }>(
      'select id, type, resource_id as resource, body from events where location_id = $1 order by number',
      [locationId],
    );
    return [found.rows, products.rows] as const;
  });
  const counts = new Map<string, number>();
  const versions: number[] = [];
  const totals = new Map(model.orders.map(({ id, totals }) => [id, totals.map((cents) => json(cents))]));
  const last = new Map<string, unknown>();
  for (const { type, resource, body } of rows) {
    const { data } = documentedBodies[type].parse(JSON.parse(body)) as Envelope;
    // What is published shows the order as it was then or a little later.
    if (type === 'order.created' || type === 'order.updated') {
      ok(totals.get(resource)?.includes(Number(data.total)), `${type} ${resource}: ${data.total}`);
      last.set(resource, data.total);
    }
    if (type === 'catalog.updated') versions.push(Number(data.version));
    else {
      const move = type === 'order.status_changed' ? ` ${data.previous_status}>${data.status}` : '';
      const key = `${type} ${resource}${move}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  for (const { id, cents } of model.orders) same(last.get(id), json(cents), `the last event of ${id}`);
  const expected = model.events();
  for (const { id } of brought) expected.set(`product.created ${id}`, 1);
  const keys = new Set([...counts.keys(), ...expected.keys()]);
  const differing = [...keys].filter((key) => counts.get(key) !== expected.get(key));
  same(
    differing.map((key) => `${key}: ${counts.get(key) ?? 0}, not ${expected.get(key) ?? 0}`),
    [],
    'events',
  );
  // Changes that share a transaction share a version.
  same(
    versions,
    [...new Set(versions)].sort((one, other) => one - other),
    'versions of the catalog',
  );
  ok(versions.length > 0 && versions.length <= model.catalogChanges, 'too many versions of the catalog');

  const digests = new Map(rows.map(({ id, body }) => [id, digestOf(body)]));
  return compareDeliveries(restaurant, databaseUrl, consumer, digests);
}

/** @throws {Error} that shows the difference. */
function same(actual: unknown, expected: unknown, what: string): void {
  try {
    deepStrictEqual(actual, expected);
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
}

/** The fields of an answer that are expected. */
const partOf = (answer: Record<string, unknown>, expected: object) =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, answer[name]]));

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Every entry of a list, page by page. */
async function allOf<Entry>(data: Restaurant['data'], route: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await data<Entry[]>(
      `${route}${route.includes('?') ? '&' : '?'}limit=200&offset=${entries.length}`,
    );
    entries.push(...page);
    if (page.length < 200) return entries;
  }
}

const sorted = <Row extends { id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));
