import { type Database, isId } from '@comanda/db';
import type { KnownChoice, KnownProduct, KnownSubselection, OrderFacts, OrderRequest } from './facts.ts';
import { readOrderFacts } from './statements.ts';

/** What orders are decided from, and the version of the offer at that moment. */
export interface Offer {
  facts: OrderFacts;
  version: bigint;
}

/** Reads what an order is decided from, as it stands now. */
export async function readOffer(
  database: Database,
  locationId: string,
  request: OrderRequest,
): Promise<Offer> {
  const [row] = await database.run(readOrderFacts, [
    locationId,
    productIdsOf(request).filter(isId),
    choiceIdsOf(request).filter(isId),
    isId(request.payment_method_id) ? request.payment_method_id : null,
  ]);
  const { products = [], subselections = [], choices = [], payment_method_enabled, offer = 0 } = row ?? {};
  const subselectionsOf = new Map<string, KnownSubselection[]>();
  for (const { product_id, ...subselection } of subselections) {
    const known = subselectionsOf.get(product_id);
    if (known === undefined) subselectionsOf.set(product_id, [subselection]);
    else known.push(subselection);
  }
  const facts = {
    products: new Map(
      products.map(({ id, name, price, external_id, left }) => [
        id,
        { name, price, externalId: external_id ?? undefined, left: left ?? undefined },
      ]),
    ),
    subselections: subselectionsOf,
    choices: new Map(
      choices.map(({ id, product_id, subselection_id, left, ...choice }) => [
        id,
        { ...choice, productId: product_id, subselectionId: subselection_id, left: left ?? undefined },
      ]),
    ),
    paymentMethodEnabled: payment_method_enabled ?? undefined,
  };
  return { facts, version: BigInt(offer) };
}

/**
 * Remembers the offers of locations, so that most orders are decided without reading. That they are still true is not
 * known here: place_order refuses an order from another version. Stock is never remembered: place_order takes it or tells.
 */
export interface OfferMemory {
  /** What this order is decided from, when all of it is remembered. */
  recall(locationId: string, request: OrderRequest): Offer | undefined;
  /** Remembers what was read for an order that may be made. */
  keep(locationId: string, request: OrderRequest, read: Offer): void;
  forget(locationId: string, productIds: readonly string[]): void;
}

/** The memory of a process for a database. */
export function offerMemory(database: Database): OfferMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const made = createOfferMemory();
  memories.set(database, made);
  return made;
}

const memories = new WeakMap<Database, OfferMemory>();

/** Products remembered at most, of all locations together: some ten megabytes. */
const mostProducts = 20_000;

/** Makes an empty one. Over `most` products it forgets the locations that were asked for longest ago. */
export function createOfferMemory(most = mostProducts): OfferMemory {
  const offers = new Map<string, Remembered>();
  let products = 0;

  function drop(locationId: string): void {
    products -= offers.get(locationId)?.products.size ?? 0;
    offers.delete(locationId);
  }

  return {
    recall(locationId, request) {
      const offer = offers.get(locationId);
      if (offer === undefined || !offer.paymentMethods.has(request.payment_method_id)) return undefined;
      for (const { product_id, subselections = [] } of request.items)
        if (
          !offer.products.has(product_id) ||
          subselections.some(({ item_id }) => !offer.choices.has(item_id))
        )
          return undefined;
      // To the end: what was asked for last is forgotten last.
      offers.delete(locationId);
      offers.set(locationId, offer);
      return { facts: { ...offer, paymentMethodEnabled: true }, version: offer.version };
    },
    keep(locationId, request, { facts, version }) {
      const known = offers.get(locationId);
      if (known !== undefined && known.version > version) return;
      if (known?.version !== version) drop(locationId);
      const offer = offers.get(locationId) ?? emptyOffer(version);
      offers.set(locationId, offer);
      products -= offer.products.size;
      for (const [id, { left: _, ...product }] of facts.products) {
        offer.products.set(id, product);
        offer.subselections.set(id, facts.subselections.get(id) ?? []);
      }
      for (const [id, { left: _, ...choice }] of facts.choices) offer.choices.set(id, choice);
      offer.paymentMethods.add(request.payment_method_id);
      products += offer.products.size;
      for (const oldest of offers.keys()) {
        if (products <= most) break;
        drop(oldest);
      }
    },
    forget(locationId, productIds) {
      const offer = offers.get(locationId);
      for (const id of productIds) if (offer?.products.delete(id)) products -= 1;
    },
  };
}

interface Remembered {
  version: bigint;
  products: Map<string, KnownProduct>;
  subselections: Map<string, readonly KnownSubselection[]>;
  choices: Map<string, KnownChoice>;
  /** Those that are enabled. */
  paymentMethods: Set<string>;
}

const emptyOffer = (version: bigint): Remembered => ({
  version,
  products: new Map(),
  subselections: new Map(),
  choices: new Map(),
  paymentMethods: new Set(),
});

const productIdsOf = ({ items }: OrderRequest) => [...new Set(items.map(({ product_id }) => product_id))];

const choiceIdsOf = ({ items }: OrderRequest) => [
  ...new Set(items.flatMap(({ subselections = [] }) => subselections.map(({ item_id }) => item_id))),
];
