import type { FieldFault } from '../../errors.ts';
import type { KnownSubselection, OrderFacts, OrderRequest } from './facts.rules.ts';

const reason = 'invalid_selection' as const;

/**
 * The faults of the items chosen for a line: each must belong to the product, respect its own `min` and `max`, and
 * together those of their subselection; repeated items add up. Contract: orders.
 */
export function selectionFaults(
  { product_id, subselections: chosen = [] }: OrderRequest['items'][number],
  facts: OrderFacts,
  path: string,
): FieldFault[] {
  const unknown = chosen.flatMap(({ item_id }, position) =>
    facts.choices.get(item_id)?.productId === product_id
      ? []
      : [
          {
            path: `${path}.subselections[${position}].item_id`,
            message: 'unknown item of this product',
            reason,
          },
        ],
  );
  if (unknown.length > 0) return unknown;
  const sums = new Map<string, Sum>();
  for (const [position, { item_id, quantity }] of chosen.entries()) {
    const known = sums.get(item_id);
    if (known === undefined) sums.set(item_id, { position, sum: quantity });
    else known.sum += quantity;
  }
  return [...itemFaults(sums, facts, path), ...subselectionFaults(product_id, sums, facts, path)];
}

/** How much was chosen of an item in all, and where it is named first. */
interface Sum {
  position: number;
  sum: number;
}

function* itemFaults(sums: ReadonlyMap<string, Sum>, facts: OrderFacts, path: string): Generator<FieldFault> {
  for (const [itemId, { position, sum }] of sums) {
    const { min = 0, max = 0 } = facts.choices.get(itemId) ?? {};
    if (sum >= min && sum <= max) continue;
    yield {
      path: `${path}.subselections[${position}].quantity`,
      message: `must be ${min} to ${max} in all, got ${sum}`,
      reason,
    };
  }
}

function* subselectionFaults(
  productId: string,
  sums: ReadonlyMap<string, Sum>,
  facts: OrderFacts,
  path: string,
): Generator<FieldFault> {
  for (const subselection of facts.subselections.get(productId) ?? []) {
    const own = [...sums].filter(([itemId]) => facts.choices.get(itemId)?.subselectionId === subselection.id);
    const sum = own.reduce((total, [, entry]) => total + entry.sum, 0);
    const message = countFault(subselection, sum, own.length);
    if (message === undefined) continue;
    yield {
      path: `${path}.subselections`,
      message: `${JSON.stringify(subselection.name)} ${message}`,
      reason,
    };
  }
}

function countFault(
  { min, max, single }: KnownSubselection,
  sum: number,
  different: number,
): string | undefined {
  if (sum < min) return `needs at least ${min}, got ${sum}`;
  if (sum > max) return `allows at most ${max}, got ${sum}`;
  if (single && different > 1) return `allows one item, got ${different} different ones`;
  return undefined;
}
