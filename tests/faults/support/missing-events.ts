import { type Books, inSnapshot, readBooks } from './books.ts';
import type { Consumer, Receipt } from './consumer.ts';
import { digestOf } from './digest.ts';
import { groupBy } from './grouping.ts';
import type { Ledger } from './ledger.ts';
import type { Shop } from './shop.ts';

/** The published events, compared with the actual changes. `complaints` must be empty. */
export interface Published {
  /** Events that are published. */
  events: number;
  /** Changes without their event, and events without their change. */
  missing: number;
  unfounded: number;
  /** Deliveries that arrived, that are dead, and that are still on their way. */
  delivered: number;
  dead: number;
  waiting: number;
  /** Arrivals beyond the first of an event that was delivered. */
  repeats: number;
  complaints: string[];
}

/** A delivery as the database has it. */
interface Delivery {
  eventId: string;
  endpointId: string;
  status: string;
  attempts: number;
  logged: { attempt: number; status: string; code: number | null }[];
}

/**
 * Compares changes, events, deliveries and what the consumer got. Meant for when all is quiet: changes that
 * wait to be published are reported as missing. The name of a shop's endpoint at the consumer is the shop's
 * location.
 */
export async function comparePublished(
  databaseUrl: string,
  ledger: Ledger,
  shops: readonly Shop[],
  consumer: Pick<Consumer, 'receipts' | 'faults'>,
): Promise<Published> {
  const locationIds = shops.map(({ locationId }) => locationId);
  const books = await readBooks(databaseUrl, locationIds);
  const published: Published = {
    ...{ events: 0, missing: 0, unfounded: 0, delivered: 0, dead: 0, waiting: 0, repeats: 0 },
    complaints: [...consumer.faults],
  };
  const digests = await compareEvents(
    databaseUrl,
    expectedEvents(ledger, books, shops),
    locationIds,
    published,
  );
  const deliveries = await readDeliveries(databaseUrl, locationIds);
  for (const shop of shops) compareDeliveries(shop, deliveries, digests, consumer, published);
  return published;
}

/** Every event that must have been published, and how often, by type, resource and move. */
function expectedEvents(ledger: Ledger, books: Books, shops: readonly Shop[]): Map<string, number> {
  const expected = new Map<string, number>();
  const expect = (type: string, resourceId: string, count = 1) => {
    const key = `${type} ${resourceId}`;
    if (count > 0) expected.set(key, (expected.get(key) ?? 0) + count);
  };
  for (const { id, items, payments, moves } of books.orders) {
    const counted = new Set(items.flatMap(({ productId, stockTaken }) => (stockTaken ? productId : [])));
    const canceled = moves.some(({ to }) => to === 'canceled');
    expect('order.created', id);
    for (const productId of counted) expect('stock.updated', productId, canceled ? 2 : 1);
    for (const payment of payments) {
      expect('payment.created', payment.id);
      if (canceled) for (const type of ['updated', 'rejected']) expect(`payment.${type}`, payment.id);
    }
    for (const { from, to } of moves) {
      expect('order.updated', id);
      expect('order.status_changed', `${id} ${from}>${to}`);
      if (to === 'canceled') expect('order.cancelled', id);
      if (to === 'closed') expect('order.completed', id);
    }
  }
  for (const { id, stock } of shops.flatMap(({ products }) => products))
    if (stock !== undefined) expect('stock.updated', id);
  for (const id of shops.flatMap(({ registers }) => registers)) expect('stock.updated', id);
  const values = new Map(books.products.map(({ id, name, stock }) => [id, { name, stock }]));
  for (const { locationId, kind, productId } of ledger.registers) {
    // Values rise by one and each is set until it is answered: the last that is there says how many there were.
    const { name = '', stock = '0' } = values.get(productId) ?? {};
    const set = Number(kind === 'name' ? name.replace('Register ', '') : stock);
    expect(kind === 'name' ? 'product.updated' : 'stock.updated', productId, set);
    if (kind === 'name') expect('catalog.updated', locationId, set);
  }
  for (const { id } of books.products) expect('product.created', id);
  // They are in a category, which is published, too; rows that a job brings are in none.
  for (const [locationId, count] of ledger.products) expect('catalog.updated', locationId, count + 1);
  for (const { id, status } of books.jobs) {
    if (status !== 'completed') continue;
    expect('sync.completed', id);
  }
  return expected;
}

/** Answers what each event's body must be, by event id. */
async function compareEvents(
  databaseUrl: string,
  expected: Map<string, number>,
  locationIds: readonly string[],
  published: Published,
): Promise<Map<string, string>> {
  const events = await inSnapshot(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; type: string; resourceId: string; body: string }>(
      `select id, type, resource_id as "resourceId", body from events where location_id = any ($1::uuid[])
       order by location_id, number`,
      [locationIds],
    );
    return rows;
  });
  published.events = events.length;
  const left = new Map(expected);
  for (const { type, resourceId, body } of events) {
    const { data } = JSON.parse(body) as { data: { previous_status?: string; status?: string } };
    const key =
      type === 'order.status_changed'
        ? `${type} ${resourceId} ${data.previous_status}>${data.status}`
        : `${type} ${resourceId}`;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    if (count > 0) continue;
    published.unfounded += 1;
    published.complaints.push(`${key} is published, and did not happen or was published before`);
  }
  for (const [key, count] of left) {
    if (count <= 0) continue;
    published.missing += count;
    published.complaints.push(
      `${key} happened ${expected.get(key)} times, and is not published ${count} times`,
    );
  }
  return new Map(events.map(({ id, body }) => [id, digestOf(body)]));
}

async function readDeliveries(databaseUrl: string, locationIds: readonly string[]): Promise<Delivery[]> {
  return inSnapshot(databaseUrl, async (client) => {
    const { rows } = await client.query<Delivery>(
      `with logged as (
         select delivery_id, json_agg(json_build_object('attempt', attempt, 'status', status,
           'code', response_code) order by attempt, id) as list
         from webhook_attempts where location_id = any ($1::uuid[]) group by delivery_id
       )
       select d.event_id as "eventId", d.endpoint_id as "endpointId", d.status, d.attempts,
         coalesce(l.list, '[]') as logged
       from webhook_deliveries d left join logged l on l.delivery_id = d.id
       where d.location_id = any ($1::uuid[])`,
      [locationIds],
    );
    return rows;
  });
}

function compareDeliveries(
  { endpoint, locationId }: Shop,
  deliveries: readonly Delivery[],
  digests: ReadonlyMap<string, string>,
  { receipts }: Pick<Consumer, 'receipts'>,
  published: Published,
): void {
  if (endpoint === undefined) return;
  const own = groupBy(
    deliveries.filter(({ endpointId }) => endpointId === endpoint.id),
    ({ eventId }) => eventId,
  );
  for (const [eventId, [delivery, second]] of own) {
    if (delivery === undefined) continue;
    const receipt = receipts.get(`${locationId} ${eventId}`);
    if (second !== undefined) published.complaints.push(`event ${eventId} has two deliveries`);
    if (delivery.status === 'delivered') published.delivered += 1;
    else if (delivery.status === 'dead') published.dead += 1;
    else published.waiting += 1;
    published.repeats += Math.max(0, (receipt?.arrivals.length ?? 0) - delivery.attempts);
    const wrong = deliveryFaults(delivery, receipt, digests.get(eventId));
    published.complaints.push(...wrong.map((fault) => `event ${eventId}: ${fault}`));
  }
  const known = [...receipts.entries()].filter(([name]) => name.startsWith(`${locationId} `));
  for (const [, { eventId, type }] of known)
    if (!own.has(eventId)) published.complaints.push(`${type} ${eventId} arrived and is not known`);
}

/** A delivery that has ended has a log that the consumer can confirm, attempt by attempt. */
function deliveryFaults(
  delivery: Delivery,
  receipt: Receipt | undefined,
  digest: string | undefined,
): string[] {
  const { status, attempts, logged } = delivery;
  const arrivals = receipt?.arrivals ?? [];
  // An attempt that failed without an answer may never have arrived, or been answered too late.
  const confirmed = ({ attempt, code }: Delivery['logged'][number]) =>
    code === null || arrivals.some((one) => one.attempt === attempt && one.status === code);
  const faults = {
    'its log has not one entry for each attempt': logged.some(({ attempt }, index) => attempt !== index + 1),
    [`it counts ${attempts} attempts and its log ${logged.length}`]: logged.length !== attempts,
    'an answer is logged that was never given': !logged.every(confirmed),
    'an attempt came before the one ahead of it was logged': arrivals.some(
      (arrival) => arrival.attempt > attempts + 1,
    ),
    [`it is ${status}, and the log ends otherwise`]:
      (status === 'delivered' || status === 'dead') && logged.at(-1)?.status !== status,
    'it went on after it was delivered': logged.slice(0, -1).some((entry) => entry.status === 'delivered'),
    'its body is not the one that is stored': receipt !== undefined && receipt.digest !== digest,
  };
  return Object.entries(faults).flatMap(([fault, is]) => (is ? fault : []));
}
