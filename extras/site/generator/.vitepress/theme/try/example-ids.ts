import { demoNames, exampleIds } from '@comanda/api/examples';

type Thing = keyof typeof exampleIds;

/** Reads an answer of the API at a path. */
export type Read = (path: string) => Promise<unknown>;

/** Where a sandbox has what an example names. Its restaurant has the same external ids after each reset, and other ids. */
const places: Partial<Record<Thing, { path: string; isIt: (found: Found) => boolean }>> = {
  product: byExternalId(`/v2/products/by-external-id/${demoNames.product}`, demoNames.product),
  category: byExternalId(`/v2/categories/by-external-id/${demoNames.category}`, demoNames.category),
  order: byExternalId(`/v2/orders/by-external-id/${demoNames.order}`, demoNames.order),
  item: byExternalId('/v2/catalog', demoNames.item),
  payment: {
    path: `/v2/orders/by-external-id/${demoNames.order}`,
    isIt: (found) => 'status' in found && !('items' in found),
  },
  paymentMethod: { path: '/v2/payment-methods', isIt: () => true },
  turn: { path: '/v2/turns', isIt: () => true },
  settlement: { path: '/v2/settlements', isIt: () => true },
  endpoint: { path: '/v2/webhook-endpoints', isIt: () => true },
  job: { path: '/v2/sync-jobs', isIt: () => true },
  certification: { path: '/v2/certifications', isIt: () => true },
};

interface Found {
  id: string;
  external_id?: unknown;
}

/** Whether a text has an id of the examples that a sandbox has another one for. */
export const hasExampleId = (text: string): boolean => thingsIn(text).length > 0;

/**
 * Replaces the ids of the examples in texts by those that a sandbox has for the same things.
 * @param read what it is asked through; an answer without the thing leaves the id as it is
 * @returns the texts, and the names of the things that were not found: `product`
 */
export async function withOwnIds(
  texts: Readonly<Record<string, string>>,
  read: Read,
): Promise<{ texts: Record<string, string>; missing: Thing[] }> {
  const missing: Thing[] = [];
  let whole: Record<string, string> = { ...texts };
  for (const thing of thingsIn(Object.values(texts).join('\n'))) {
    const place = places[thing];
    const id = place && firstOf(await read(place.path), place.isIt)?.id;
    if (id === undefined) missing.push(thing);
    else
      whole = Object.fromEntries(
        Object.entries(whole).map(([name, text]) => [name, text.replaceAll(exampleIds[thing], id)]),
      );
  }
  return { texts: whole, missing };
}

const thingsIn = (text: string): Thing[] =>
  (Object.keys(places) as Thing[]).filter((thing) => text.includes(exampleIds[thing]));

function byExternalId(path: string, externalId: string) {
  return { path, isIt: (found: Found) => found.external_id === externalId };
}

function firstOf(value: unknown, isIt: (found: Found) => boolean): Found | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('id' in value && typeof value.id === 'string' && isIt(value as Found)) return value as Found;
  for (const inner of Object.values(value)) {
    const found = firstOf(inner, isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}
