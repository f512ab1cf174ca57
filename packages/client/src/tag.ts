import { answeredWith } from './answered.ts';

/**
 * The entity tag of what was read, made or changed: of a product, a category, an order, a webhook endpoint, a menu, a subselection,
 * an option or the location. Give it as `expected` to a change, which is refused with `changed_since` when the resource was changed meanwhile. `undefined`
 * for all else, and for the answer of a repeat (`wasReplayed`).
 *
 * @example
 * const product = await comanda.products.getByExternalId.query({ external_id: 'coffee' });
 * await comanda.products.update.mutate({ id: product.id, price: 14, expected: tagOf(product) });
 */
export function tagOf(answer: object): string | undefined {
  const came = answeredWith(answer);
  if (came?.index === undefined) return came?.headers.get('etag') ?? undefined;
  return came.headers.get('x-entity-tags')?.match(`(?:^|, )${came.index}=("[^"]*")`)?.[1];
}
