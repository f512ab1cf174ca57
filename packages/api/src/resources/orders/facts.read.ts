import { type Database, isId } from '@comanda/db';
import type { KnownSubselection, OrderFacts, OrderRequest } from './facts.ts';
import { readOrderFacts } from './statements.ts';

/** Reads what an order is decided from, as it stands now, in one snapshot. Ids that cannot be ids are not found. */
export async function readFacts(
  database: Database,
  locationId: string,
  { items, payment_method_id }: OrderRequest,
): Promise<OrderFacts> {
  const productIds = items.map(({ product_id }) => product_id);
  const choiceIds = items.flatMap(({ subselections = [] }) => subselections.map(({ item_id }) => item_id));
  const [row] = await database.run(readOrderFacts, [
    locationId,
    known(productIds),
    known(choiceIds),
    isId(payment_method_id) ? payment_method_id : null,
  ]);
  const { products = [], subselections = [], choices = [], payment_method_enabled } = row ?? {};
  const subselectionsOf = new Map<string, KnownSubselection[]>();
  for (const { product_id, ...subselection } of subselections) {
    const siblings = subselectionsOf.get(product_id);
    if (siblings === undefined) subselectionsOf.set(product_id, [subselection]);
    else siblings.push(subselection);
  }
  return {
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
}

const known = (ids: readonly string[]): string[] => [...new Set(ids)].filter(isId);
