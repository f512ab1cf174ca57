const tags = new WeakMap<object, string>();

/**
 * The entity tag of what was read, made or changed: of a product, a category, an order, a webhook endpoint, a menu or the location.
 * Give it as `expected` to a change, which is refused with `changed_since` when the resource was changed meanwhile. `undefined`
 * for all else, and for the answer of a repeat (`wasReplayed`).
 *
 * @example
 * const product = await comanda.products.getByExternalId.query({ external_id: 'coffee' });
 * await comanda.products.update.mutate({ id: product.id, price: 14, expected: tagOf(product) });
 */
export function tagOf(answer: object): string | undefined {
  return tags.get(answer);
}

/** Keeps the tag of an answer, which its response names: alone, or by the index of its call in a batch. @internal */
export function noteTag(data: unknown, { headers }: Response, index: number | undefined): void {
  if (!(data instanceof Object)) return;
  const tag = index === undefined ? headers.get('etag') : taggedAt(headers.get('x-entity-tags'), index);
  if (tag !== null && tag !== undefined) tags.set(data, tag);
}

const taggedAt = (named: string | null, index: number): string | undefined =>
  named
    ?.split(', ')
    .find((each) => each.startsWith(`${index}=`))
    ?.slice(`${index}=`.length);
