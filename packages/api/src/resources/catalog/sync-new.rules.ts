import { type FieldFault, invalid } from '../../errors.ts';
import { blankEndRefused, hasBlankEnd } from '../../texts.ts';
import type { SyncedCategory } from './sync.schema.ts';
import { isDeletion } from './sync-entries.rules.ts';
import type { Stored } from './sync-spellings.rules.ts';

/**
 * Throws `validation_error` where something new has an identifier with a blank at an end; what is there goes on to match. The tree has its
 * identifiers as they are stored.
 */
export function refuseNewBlankEnds(categories: readonly SyncedCategory[], stored: Stored): void {
  const known = new Map<string, string>();
  const keyOf = (parent: string | undefined, name: string | null) => `${parent} ${name}`;
  const note = (parent: string, rows: readonly { id: string; external_id: string | null }[]) => {
    for (const { id, external_id } of rows) known.set(keyOf(parent, external_id), id);
  };
  note('category', stored.categories);
  note('product', stored.products);
  for (const row of stored.subselections) note(row.product_id, [row]);
  for (const row of stored.items) note(row.subselection_id, [row]);

  const faults: FieldFault[] = [];
  /** Returns the id of an entry that is there. */
  const judge = (
    parent: string | undefined,
    entry: { external_id: string; sku?: string | undefined; delete?: boolean | undefined },
    at: string,
  ): string | undefined => {
    const id = known.get(keyOf(parent, entry.external_id));
    if (id === undefined && !isDeletion(entry))
      for (const field of ['external_id', 'sku'] as const)
        if (hasBlankEnd(entry[field] ?? ''))
          faults.push({ path: `${at}.${field}`, message: blankEndRefused });
    return id;
  };
  for (const [index, category] of categories.entries()) {
    const at = `categories[${index}]`;
    judge('category', category, at);
    for (const [place, product] of (category.products ?? []).entries()) {
      const under = `${at}.products[${place}]`;
      const id = judge('product', product, under);
      for (const [position, choice] of (product.subselections ?? []).entries()) {
        const within = `${under}.subselections[${position}]`;
        const choiceId = judge(id, choice, within);
        for (const [each, item] of (choice.items ?? []).entries())
          judge(choiceId, item, `${within}.items[${each}]`);
      }
    }
  }
  if (faults.length > 0) throw invalid(faults);
}
