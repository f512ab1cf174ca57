import type { ProductSyncItem, SyncItemError, SyncMode } from './schema.ts';

/** What the database holds of the products, skus and categories that a chunk names. */
export interface CurrentProducts {
  /** By external_id. */
  products: ReadonlyMap<string, { id: string; sku: string }>;
  /** The ids of products by sku; only skus that an item would move to its product. */
  skuOwners: ReadonlyMap<string, string>;
  /** The ids of categories by external_id. */
  categories: ReadonlyMap<string, string>;
}

/** A product to write; what is undefined keeps its value, or takes the default of a new one. */
export interface PlannedProduct {
  id: string;
  item: ProductSyncItem;
  /** The categories it shall stand under. */
  categoryIds?: string[];
}

/** What applying a chunk comes to. */
export interface ChunkPlan {
  /**
   * Products to change, in rounds to write one after the other: a sku that one product gives up can be another's
   * only in a later statement. Nearly always there is one round.
   */
  updates: PlannedProduct[][];
  /** Products to create, after the updates. */
  creates: PlannedProduct[];
  /** Items that cannot be applied, in the order of the batch. */
  failures: SyncItemError[];
}

/**
 * Decides what becomes of each item, as if they were applied one by one in the order of the batch. Pure: it reads
 * nothing and writes nothing. `firstIndex` is where the chunk begins in the batch.
 */
export function planChunk(
  mode: SyncMode,
  items: readonly ProductSyncItem[],
  firstIndex: number,
  current: CurrentProducts,
  newId: () => string,
): ChunkPlan {
  const plan: ChunkPlan = { updates: [], creates: [], failures: [] };
  const skus = skuBook(current.skuOwners);
  for (const [position, item] of items.entries()) {
    const existing = current.products.get(item.external_id);
    const id = existing?.id ?? newId();
    const failure =
      refusedByMode(mode, item, existing !== undefined) ??
      unknownCategory(item, current.categories) ??
      skus.refuse(item.sku, id);
    if (failure !== undefined) {
      plan.failures.push({ index: firstIndex + position, external_id: item.external_id, ...failure });
      continue;
    }
    const categoryIds = item.category_external_ids?.flatMap((name) => current.categories.get(name) ?? []);
    const planned = { id, item, ...(categoryIds && { categoryIds: [...new Set(categoryIds)] }) };
    const round = skus.move(id, existing?.sku, item.sku);
    if (existing === undefined) plan.creates.push(planned);
    else {
      plan.updates[round] ??= [];
      plan.updates[round].push(planned);
    }
  }
  return plan;
}

type Failure = Pick<SyncItemError, 'code' | 'message'>;

function refusedByMode(mode: SyncMode, item: ProductSyncItem, exists: boolean): Failure | undefined {
  const product = `product with external_id ${item.external_id}`;
  if (mode === 'create' && exists) return { code: 'conflict', message: `A ${product} exists already.` };
  if (mode === 'update' && !exists) return { code: 'resource_not_found', message: `There is no ${product}.` };
  return undefined;
}

function unknownCategory(
  { category_external_ids = [] }: ProductSyncItem,
  categories: CurrentProducts['categories'],
): Failure | undefined {
  const unknown = category_external_ids.flatMap((name, index) =>
    categories.has(name) ? [] : [`category_external_ids[${index}]: there is no category ${name}`],
  );
  if (unknown.length === 0) return undefined;
  return { code: 'validation_error', message: unknown.slice(0, 10).join('; ') };
}

// Who has which sku as the chunk goes on, and since which round a sku is free.
function skuBook(before: ReadonlyMap<string, string>) {
  const owners = new Map(before);
  const freeAfter = new Map<string, number>();
  return {
    refuse(sku: string | undefined, id: string): Failure | undefined {
      if (sku === undefined || (owners.get(sku) ?? id) === id) return undefined;
      return { code: 'conflict', message: `sku ${sku} is taken by another product.` };
    },
    /** Gives the product its sku; returns the round in which it can be written. */
    move(id: string, from: string | undefined, to: string | undefined): number {
      if (to === undefined || to === from) return 0;
      const round = freeAfter.get(to) ?? 0;
      owners.set(to, id);
      if (from !== undefined) {
        owners.delete(from);
        freeAfter.set(from, round + 1);
      }
      return round;
    },
  };
}
