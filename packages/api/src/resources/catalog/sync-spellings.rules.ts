import { isPlain, spellingsOf } from '../../texts.ts';
import type { Current } from '../bulk/rows.rules.ts';
import { group } from '../bulk/rules.ts';
import type { SyncedCategory, SyncedProduct, SyncedSubselection } from './sync.schema.ts';

/** The rows whose identifiers are looked for. */
export type Stored = Pick<Current, 'categories' | 'products' | 'subselections' | 'items'>;

/**
 * The tree with the identifiers as they are stored: an exact match, else the one that differs in normalization alone. New ones that differ in
 * that alone get one spelling, so that a repetition shows.
 */
export function spelledAsStored(categories: readonly SyncedCategory[], stored: Stored): SyncedCategory[] {
  const category = spellingsOf(stored.categories.map(({ external_id }) => external_id));
  const product = spellingsOf(stored.products.map(({ external_id }) => external_id));
  const sku = spellingsOf(stored.products.map((row) => row.sku));
  const ids = new Map(stored.products.map(({ external_id, id }) => [external_id, id]));
  const subselections = group(stored.subselections, ({ product_id }) => product_id);
  const items = group(stored.items, ({ subselection_id }) => subselection_id);

  const optionsOf = (entry: SyncedSubselection, rows: Stored['subselections']): SyncedSubselection => {
    const id = rows.find(({ external_id }) => external_id === entry.external_id)?.id ?? '';
    const item = spellingsOf((items.get(id) ?? []).map(({ external_id }) => external_id));
    return { ...entry, ...(entry.items && { items: entry.items.map((each) => renamed(each, item)) }) };
  };
  const productOf = (given: SyncedProduct): SyncedProduct => {
    const entry = renamed(given, product);
    const rows = subselections.get(ids.get(entry.external_id) ?? '') ?? [];
    const choice = spellingsOf(rows.map(({ external_id }) => external_id));
    return {
      ...entry,
      ...(entry.sku !== undefined && { sku: sku(entry.sku) }),
      ...(entry.subselections && {
        subselections: entry.subselections.map((each) => optionsOf(renamed(each, choice), rows)),
      }),
    };
  };
  return categories.map((given) => {
    const entry = renamed(given, category);
    return { ...entry, ...(entry.products && { products: entry.products.map(productOf) }) };
  });
}

/** Whether no identifier of the tree has another normalization form: then all are as they are stored. */
export const isPlainTree = (categories: readonly SyncedCategory[]): boolean =>
  categories.every(
    ({ external_id, products = [] }) =>
      isPlain(external_id) &&
      products.every(
        ({ external_id, sku = '', subselections = [] }) =>
          isPlain(external_id) &&
          isPlain(sku) &&
          subselections.every(
            ({ external_id, items = [] }) =>
              isPlain(external_id) && items.every((item) => isPlain(item.external_id)),
          ),
      ),
  );

const renamed = <Entry extends { external_id: string }>(
  entry: Entry,
  spelling: (given: string) => string,
): Entry => ({ ...entry, external_id: spelling(entry.external_id) });
