import { isId, type Queryable } from '@comanda/db';
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

/** The same within a transaction. */
export async function readFactsIn(
  tx: Queryable,
  locationId: string,
  request: Pick<OrderRequest, 'items'>,
): Promise<OrderFacts> {
  const asked = askedBy(locationId, { ...request, payment_method_id: '' });
  const facts = (await orderFacts.read(tx, [asked])).get(orderFacts.textOf(asked));
  if (facts === undefined) throw new Error('the facts of an edit were not read');
  return facts;
}

/**
 * The same as earlier orders of this process read it, twice alike; undefined where something of it is not known so. What is decided from it
 * may be out of date: place_order_batch compares all of it again, and a refusal needs `readFacts`.
 */
export function recentFacts(locationId: string, request: OrderRequest): OrderFacts | undefined {
  const asked = askedBy(locationId, request);
  const isKnown =
    asked.products.every((id) => recent.products.get(locationId + id) !== undefined) &&
    asked.choices.every((id) => recent.choices.get(locationId + id) !== undefined) &&
    asked.paymentMethods.every((id) => recent.paymentMethods.get(locationId + id) !== undefined);
  return isKnown ? factsIn(recent, asked) : undefined;
}

const askedBy = (
  locationId: string,
  { items, payment_method_id }: Pick<OrderRequest, 'items' | 'payment_method_id'>,
): Asked => ({
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

type ProductRow = OrderFactsRow['products'][number];
type ChoiceRow = OrderFactsRow['choices'][number];
type PaymentMethodRow = OrderFactsRow['payment_methods'][number];

/** Rows by location and id. */
interface Rows {
  products: Pick<ReadonlyMap<string, ProductRow>, 'get'>;
  choices: Pick<ReadonlyMap<string, ChoiceRow>, 'get'>;
  paymentMethods: Pick<ReadonlyMap<string, PaymentMethodRow>, 'get'>;
}

function rowsOf({ products, choices, payment_methods }: OrderFactsRow) {
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

/** Rows of one kind that were read last, at most so many. */
export class RecentRows<Row> {
  readonly #rows = new Map<string, { row: Row; isSteady: boolean }>();
  readonly #most: number;
  readonly #versionOf: (row: Row) => unknown;

  /** Creates an empty one. Rows of equal versions are alike. */
  constructor(most: number, versionOf: (row: Row) => unknown) {
    this.#most = most;
    this.#versionOf = versionOf;
  }

  /** A row that two reads have found alike: one that is changed again and again is not decided from memory. */
  get(key: string): Row | undefined {
    const found = this.#rows.get(key);
    return found?.isSteady ? found.row : undefined;
  }

  /** Keeps a row that was read; the one that was read the longest time ago may go for it. */
  add(key: string, row: Row): void {
    const before = this.#rows.get(key);
    const isSteady = before !== undefined && this.#versionOf(before.row) === this.#versionOf(row);
    this.#rows.delete(key);
    this.#rows.set(key, { row, isSteady });
    if (this.#rows.size <= this.#most) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}

/** How many rows of a kind a process remembers, and the subselections of a product that it does. */
const most = { rows: 5_000, subselections: 20 };

/** What orders of this process were decided from. */
const recent = {
  products: new RecentRows<ProductRow>(most.rows, ({ version }) => version),
  choices: new RecentRows<ChoiceRow>(most.rows, ({ version }) => version),
  paymentMethods: new RecentRows<PaymentMethodRow>(most.rows, ({ enabled }) => enabled),
};

function remember({ products, choices, paymentMethods }: ReturnType<typeof rowsOf>): void {
  for (const [key, row] of products)
    if ((row.subselections?.length ?? 0) <= most.subselections) recent.products.add(key, row);
  for (const [key, row] of choices) recent.choices.add(key, row);
  for (const [key, row] of paymentMethods) recent.paymentMethods.add(key, row);
}

const known = (ids: readonly string[]): string[] => [...new Set(ids)].filter(isId);
