import type { z } from 'zod';
import type {
  SyncedCategory,
  SyncedItem,
  SyncedProduct,
  SyncedSubselection,
} from '../../packages/api/src/resources/catalog/sync.schema.ts';

type Sent<Schema extends z.ZodType> = z.input<Schema>;

/** Parts of a catalog sync with the fields that must be there; the name is the external_id unless said. */
export const category = (
  external_id: string,
  products?: Sent<typeof SyncedProduct>[],
  more: Partial<Sent<typeof SyncedCategory>> = {},
) => ({ external_id, name: external_id, ...(products && { products }), ...more });

export const product = (external_id: string, more: Partial<Sent<typeof SyncedProduct>> = {}) => ({
  external_id,
  name: external_id,
  price: 10,
  ...more,
});

export const subselection = (
  external_id: string,
  items: Sent<typeof SyncedItem>[] = [],
  more: Partial<Sent<typeof SyncedSubselection>> = {},
) => ({ external_id, name: external_id, min_selection: 0, max_selection: 2, items, ...more });

export const item = (external_id: string, more: Partial<Sent<typeof SyncedItem>> = {}) => ({
  external_id,
  name: external_id,
  price: 1,
  ...more,
});

/** Two categories, a product under both, one under the second alone, with subselections: nine nodes. */
export const tree = () => {
  const subselections = [
    subselection('size', [item('s'), item('l')]),
    subselection('extras', [item('nuts')]),
  ];
  const shared = product('shared', { sku: 'SH', stock: { enabled: true, quantity: 5 }, subselections });
  return [category('food', [shared], { priority: 2 }), category('bar', [shared, product('beer')])];
};
