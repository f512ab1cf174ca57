import { type FieldFault, invalid } from '../../errors.ts';
import { blankEndRefused, hasBlankEnd } from '../../texts.ts';
import type { SyncedCategory, SyncedProduct } from './sync.schema.ts';
import { isDeletion } from './sync-entries.rules.ts';
import type { Stored } from './sync-spellings.rules.ts';

interface BlankEnd extends FieldFault {
  /** Whether what has it is new. */
  isNew(stored: Stored): boolean;
}

/** Throws `validation_error` where something new has an identifier with a blank at an end; what is there goes on to match. */
export function refuseNewBlankEnds(categories: readonly SyncedCategory[], stored: Stored): void {
  const faults = categories
    .flatMap(blankEndsOf)
    .filter(({ isNew }) => isNew(stored))
    .map(({ path, message }) => ({ path, message }));
  if (faults.length > 0) throw invalid(faults);
}

function blankEndsOf(category: SyncedCategory, index: number): BlankEnd[] {
  const at = `categories[${index}]`;
  return [
    ...blankEnd(category, at, ({ categories }) => !has(categories, category.external_id)),
    ...(category.products ?? []).flatMap((product, place) => ofProduct(product, `${at}.products[${place}]`)),
  ];
}

function ofProduct(product: SyncedProduct, at: string): BlankEnd[] {
  const rowOf = ({ products }: Stored) => products.find((row) => row.external_id === product.external_id);
  const isNew = (stored: Stored) => rowOf(stored) === undefined;
  return [
    ...blankEnd(product, at, isNew),
    ...blankEnd({ external_id: product.sku ?? '', delete: product.delete }, at, isNew, 'sku'),
    ...(product.subselections ?? []).flatMap((choice, place) => {
      const choiceOf = (stored: Stored) =>
        stored.subselections.find(
          (row) => row.product_id === rowOf(stored)?.id && row.external_id === choice.external_id,
        );
      const path = `${at}.subselections[${place}]`;
      return [
        ...blankEnd(choice, path, (stored) => choiceOf(stored) === undefined),
        ...(choice.items ?? []).flatMap((item, position) =>
          blankEnd(item, `${path}.items[${position}]`, (stored) => {
            const id = choiceOf(stored)?.id;
            const siblings = stored.items.filter((row) => row.subselection_id === id);
            return !has(siblings, item.external_id);
          }),
        ),
      ];
    }),
  ];
}

const has = (rows: readonly { external_id: string | null }[], name: string): boolean =>
  rows.some(({ external_id }) => external_id === name);

function blankEnd(
  entry: { external_id: string; delete?: boolean | undefined },
  at: string,
  isNew: BlankEnd['isNew'],
  field = 'external_id',
): BlankEnd[] {
  if (isDeletion(entry) || !hasBlankEnd(entry.external_id)) return [];
  return [{ path: `${at}.${field}`, message: blankEndRefused, isNew }];
}
