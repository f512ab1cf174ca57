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
  { items, payment_method_id }: OrderRequest,
): Promise<OrderFacts> {
  const asked = {
    locationId,
    products: known(items.map(({ product_id }) => product_id)),
    choices: known(items.flatMap(({ subselections = [] }) => subselections.map(({ item_id }) => item_id))),
    paymentMethods: known([payment_method_id]),
  };
  const facts = await joined.read(orderFacts, asked);
  if (facts === undefined) throw new Error('the facts of an order were not read');
  return facts;
}

const orderFacts: JoinedRead<Asked, OrderFacts> = {
  textOf: (asked) => JSON.stringify(asked),
  async read(database, all) {
    const [row] = await database.run(readOrderFacts, [
      ...pairs(all, ({ products }) => products),
      ...pairs(all, ({ choices }) => choices),
      ...pairs(all, ({ paymentMethods }) => paymentMethods),
    ]);
    const factsOf = row === undefined ? undefined : index(row);
    return new Map(
      factsOf === undefined ? [] : all.map((asked) => [JSON.stringify(asked), factsOf(asked)] as const),
    );
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

/** Picks what one of those who asked wanted out of what was read for all. */
function index({ products, choices, payment_methods }: OrderFactsRow): (asked: Asked) => OrderFacts {
  const key = ({ location_id, id }: { location_id: string; id: string }) => location_id + id;
  const productsBy = new Map(products.map((product) => [key(product), product]));
  const choicesBy = new Map(choices.map((choice) => [key(choice), choice]));
  const methodsBy = new Map(payment_methods.map((method) => [key(method), method]));
  return (asked) => {
    const facts = { products: new Map(), subselections: new Map(), choices: new Map() };
    for (const id of asked.products) {
      const found = productsBy.get(asked.locationId + id);
      if (found === undefined) continue;
      const { name, price, version, external_id, left, subselections } = found;
      const externalId = external_id ?? undefined;
      facts.products.set(id, { name, price, version, externalId, left: left ?? undefined });
      facts.subselections.set(id, subselections ?? []);
    }
    for (const id of asked.choices) {
      const found = choicesBy.get(asked.locationId + id);
      if (found === undefined) continue;
      const {
        product_id: productId,
        subselection_id: subselectionId,
        name,
        price,
        min,
        max,
        version,
      } = found;
      const left = found.left ?? undefined;
      facts.choices.set(id, { productId, subselectionId, name, price, min, max, version, left });
    }
    const [method] = asked.paymentMethods;
    return {
      ...facts,
      paymentMethodEnabled: methodsBy.get(`${asked.locationId}${method}`)?.enabled,
    };
  };
}

const known = (ids: readonly string[]): string[] => [...new Set(ids)].filter(isId);
