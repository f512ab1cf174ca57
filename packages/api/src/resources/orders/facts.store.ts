import { isId } from '@comanda/db';
import type { JoinedRead, JoinedReads } from '../../capacity/joined-reads.ts';
import type { OrderFacts, OrderRequest } from './facts.rules.ts';
import { type OrderFactsRow, readOrderFacts } from './statements.ts';

/** The rows that an order names, as far as they can exist. */
interface Asked {
  locationId: string;
  products: string[];
  choices: string[];
  paymentMethods: string[];
}

/**
 * Reads the data that an order is decided from, as of now, in one snapshot. Callers that ask while a read is under way
 * are answered by the next one together: under load most orders share theirs.
 */
export async function readFacts(
  joined: JoinedReads,
  locationId: string,
  request: OrderRequest,
): Promise<OrderFacts> {
  const facts = await joined.read(orderFacts, askedBy(locationId, request));
  if (facts === undefined) throw new Error('the facts of an order were not read');
  return facts;
}

/**
 * The same as earlier orders of this process read it, twice alike; undefined where something of it is not known so. What is decided from it
 * may be out of date: place_orders compares all of it again, and a refusal needs `readFacts`.
 */
export function recentFacts(locationId: string, request: OrderRequest): OrderFacts | undefined {
  const asked = askedBy(locationId, request);
  const isSteady = (rows: Map<string, object>) => (id: string) => steady.has(rows.get(locationId + id) ?? {});
  const isKnown =
    asked.products.every(isSteady(recent.products)) &&
    asked.choices.every(isSteady(recent.choices)) &&
    asked.paymentMethods.every(isSteady(recent.paymentMethods));
  return isKnown ? factsIn(recent, asked) : undefined;
}

const askedBy = (locationId: string, { items, payment_method_id }: OrderRequest): Asked => ({
  locationId,
  products: known(items.map(({ product_id }) => product_id)),
  choices: known(items.flatMap(({ subselections = [] }) => subselections.map(({ item_id }) => item_id))),
  paymentMethods: known([payment_method_id]),
});

const orderFacts: JoinedRead<Asked, OrderFacts> = {
  textOf: (asked) => JSON.stringify(asked),
  async read(database, all) {
    const [row] = await database.run(readOrderFacts, [
      ...pairs(all, ({ products }) => products),
      ...pairs(all, ({ choices }) => choices),
      ...pairs(all, ({ paymentMethods }) => paymentMethods),
    ]);
    if (row === undefined) return new Map();
    const rows = rowsOf(row);
    remember(rows);
    return new Map(all.map((asked) => [JSON.stringify(asked), factsIn(rows, asked)] as const));
  },
};

/** Locations and ids of all that is asked for, each pair once. */
function pairs(all: readonly Asked[], idsOf: (asked: Asked) => string[]): [string[], string[]] {
  const found = new Map(
    all.flatMap((asked) =>
      idsOf(asked).map((id) => [asked.locationId + id, [asked.locationId, id] as const]),
    ),
  );
  return [[...found.values()].map(([location]) => location), [...found.values()].map(([, id]) => id)];
}

/** Rows by location and id. */
interface Rows {
  products: Map<string, OrderFactsRow['products'][number]>;
  choices: Map<string, OrderFactsRow['choices'][number]>;
  paymentMethods: Map<string, OrderFactsRow['payment_methods'][number]>;
}

function rowsOf({ products, choices, payment_methods }: OrderFactsRow): Rows {
  const key = ({ location_id, id }: { location_id: string; id: string }) => location_id + id;
  return {
    products: new Map(products.map((product) => [key(product), product])),
    choices: new Map(choices.map((choice) => [key(choice), choice])),
    paymentMethods: new Map(payment_methods.map((method) => [key(method), method])),
  };
}

/** Picks what an order wants out of what was read. */
function factsIn(rows: Rows, { locationId, products, choices, paymentMethods }: Asked): OrderFacts {
  const facts = { products: new Map(), subselections: new Map(), choices: new Map() };
  for (const id of products) {
    const found = rows.products.get(locationId + id);
    if (found === undefined) continue;
    const { name, price, version, external_id, left, subselections } = found;
    const externalId = external_id ?? undefined;
    facts.products.set(id, { name, price, version, externalId, left: left ?? undefined });
    facts.subselections.set(id, subselections ?? []);
  }
  for (const id of choices) {
    const found = rows.choices.get(locationId + id);
    if (found === undefined) continue;
    const { product_id: productId, subselection_id: subselectionId, name, price, min, max, version } = found;
    const left = found.left ?? undefined;
    facts.choices.set(id, { productId, subselectionId, name, price, min, max, version, left });
  }
  const [method] = paymentMethods;
  return { ...facts, paymentMethodEnabled: rows.paymentMethods.get(`${locationId}${method}`)?.enabled };
}

/** How many rows of a kind the process remembers, and the subselections of a product that it does. */
const most = { rows: 5_000, subselections: 20 };

/** What orders were decided from, the rows that were read last at the end. */
const recent: Rows = { products: new Map(), choices: new Map(), paymentMethods: new Map() };

/** Rows that two reads have found alike. One that is changed again and again is not decided from memory. */
const steady = new WeakSet<object>();

function remember({ products, choices, paymentMethods }: Rows): void {
  for (const [key, row] of products)
    if ((row.subselections?.length ?? 0) <= most.subselections)
      rememberIn(recent.products, key, row, ({ version }) => version);
  for (const [key, row] of choices) rememberIn(recent.choices, key, row, ({ version }) => version);
  for (const [key, row] of paymentMethods)
    rememberIn(recent.paymentMethods, key, row, ({ enabled }) => enabled);
}

function rememberIn<Row extends object>(
  rows: Map<string, Row>,
  key: string,
  row: Row,
  versionOf: (row: Row) => unknown,
): void {
  const before = rows.get(key);
  if (before !== undefined && versionOf(before) === versionOf(row)) steady.add(row);
  rows.delete(key);
  rows.set(key, row);
  if (rows.size <= most.rows) return;
  const [oldest] = rows.keys();
  rows.delete(oldest ?? '');
}

const known = (ids: readonly string[]): string[] => [...new Set(ids)].filter(isId);
