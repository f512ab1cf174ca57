import { namesNothing, type Reference, referencesIn } from '../../references.ts';
import { blankEndRefused, hasBlankEnd, spellingsOf } from '../../texts.ts';
import type { Current, ProductRow, Writes } from '../bulk/rows.rules.ts';
import { actionOf, by, emptyWrites, group, settleLinks, settleProduct, settleStock } from '../bulk/rules.ts';
import {
  type AppliedItem,
  type ProductSyncChange,
  ProductSyncItem,
  type SyncItemError,
  type SyncMode,
} from './schema.ts';

/** The outcome of applying items. */
export interface ProductsPlan {
  writes: Writes;
  /** Of each item that can be applied, in the order of the batch: only a dry run asks. */
  changes(): ProductSyncChange[];
  /** Items that can be applied, by the id that their product has or gets. */
  applied: AppliedItem[];
  /** Items that cannot be applied, in the order of the batch. */
  failures: SyncItemError[];
}

/**
 * Decides what becomes of each item, as if they were applied one by one in the order of the batch. Pure: it reads
 * nothing and writes nothing. `firstIndex` is where the items begin in the batch.
 */
export function planProducts(
  mode: SyncMode,
  items: readonly ProductSyncItem[],
  firstIndex: number,
  current: Current,
  newId: () => string,
): ProductsPlan {
  const pending: (() => ProductSyncChange)[] = [];
  const changes = () => pending.map((changeOf) => changeOf());
  const plan: ProductsPlan = { writes: emptyWrites(), changes, applied: [], failures: [] };
  const known = by(current.products, (row) => row.external_id);
  const stocks = by(current.stock, (row) => row.product_id);
  const links = group(current.links, (row) => row.product_id);
  const categories = by(current.categories, (row) => row.external_id);
  const skus = skuBook(current.products);
  const spelled = spellingsIn(current);
  const first = new Map<string, number>();
  for (const [position, sent] of items.entries()) {
    const index = firstIndex + position;
    const item = spelled(sent);
    const { external_id, category_external_ids: names } = item;
    const before = known.get(external_id);
    const id = before?.id ?? newId();
    const failure =
      refusedAsRepeated(first, external_id, index) ??
      refusedAsNew(item, before) ??
      refusedByMode(mode, item, before !== undefined) ??
      unknownCategory(item, categories) ??
      unknownReference(item, current.unknown) ??
      skus.refuse(item.sku, id);
    if (failure !== undefined) {
      plan.failures.push({ index, external_id: sent.external_id, ...failure });
      continue;
    }
    for (const sku of skus.move(id, before?.sku, item.sku)) plan.writes.releasedSkus.push(sku);
    const moved =
      names &&
      settleLinks(
        plan.writes,
        id,
        new Map(names.map((name) => [categories.get(name)?.id ?? '', name])),
        links.get(id) ?? [],
        true,
      );
    const parts = [
      settleProduct(plan.writes, id, item, before),
      settleStock(plan.writes, id, item.stock, stocks.get(id)),
      () => linkChange(before, names, moved),
    ];
    plan.applied.push({ index, external_id: sent.external_id, id });
    pending.push(() => {
      const changes = parts.flatMap((part) => part()).sort(byField);
      return {
        index,
        external_id: sent.external_id,
        ...(before && { id }),
        action: actionOf(before, changes),
        changes,
      };
    });
  }
  return plan;
}

/** An item with the identifiers as they are stored. */
function spellingsIn({ products, categories }: Current): (item: ProductSyncItem) => ProductSyncItem {
  const product = spellingsOf(products.map(({ external_id }) => external_id));
  const sku = spellingsOf(products.map((row) => row.sku));
  const category = spellingsOf(categories.map(({ external_id }) => external_id));
  return (item) => ({
    ...item,
    external_id: product(item.external_id),
    ...(item.sku !== undefined && { sku: sku(item.sku) }),
    ...(item.category_external_ids && { category_external_ids: item.category_external_ids.map(category) }),
  });
}

function linkChange(
  before: ProductRow | undefined,
  names: readonly string[] | undefined,
  moved: { before: string[]; after: string[] } | undefined,
): ProductSyncChange['changes'] {
  const field = 'category_external_ids';
  if (before !== undefined) return moved === undefined ? [] : [{ field, ...moved }];
  return names === undefined ? [] : [{ field, after: moved?.after ?? [] }];
}

const byField = (one: { field: string }, other: { field: string }) => (one.field < other.field ? -1 : 1);

type Failure = Pick<SyncItemError, 'code' | 'message'>;

// The items of one text are refused with the request; these differ in normalization alone.
function refusedAsRepeated(
  first: Map<string, number>,
  external_id: string,
  index: number,
): Failure | undefined {
  const earlier = first.get(external_id);
  if (earlier === undefined) first.set(external_id, index);
  else return { code: 'conflict', message: `external_id: is the same as items[${earlier}].external_id` };
  return undefined;
}

function refusedAsNew(
  { external_id, sku = '' }: ProductSyncItem,
  before: ProductRow | undefined,
): Failure | undefined {
  if (before !== undefined) return undefined;
  const faults = Object.entries({ external_id, sku }).flatMap(([name, given]) =>
    hasBlankEnd(given) ? [`${name}: ${blankEndRefused}`] : [],
  );
  return faults.length === 0 ? undefined : { code: 'validation_error', message: faults.join('; ') };
}

function refusedByMode(mode: SyncMode, item: ProductSyncItem, exists: boolean): Failure | undefined {
  const product = `product with external_id ${item.external_id}`;
  if (mode === 'create' && exists) return { code: 'conflict', message: `A ${product} exists already.` };
  if (mode === 'update' && !exists) return { code: 'resource_not_found', message: `There is no ${product}.` };
  return undefined;
}

function unknownCategory(
  { category_external_ids = [] }: ProductSyncItem,
  categories: ReadonlyMap<string | null, unknown>,
): Failure | undefined {
  const unknown = category_external_ids.flatMap((name, index) =>
    categories.has(name) ? [] : [`category_external_ids[${index}]: there is no category ${name}`],
  );
  if (unknown.length === 0) return undefined;
  return { code: 'validation_error', message: unknown.slice(0, 10).join('; ') };
}

function unknownReference(item: ProductSyncItem, unknown: readonly Reference[]): Failure | undefined {
  if (unknown.length === 0) return undefined;
  const isUnknown = ({ table, id }: Reference) =>
    unknown.some((each) => each.table === table && each.id === id);
  const faults = referencesIn(ProductSyncItem, item).filter(isUnknown);
  if (faults.length === 0) return undefined;
  const listed = faults.map(({ path, table }) => `${path}: ${namesNothing(table)}`);
  return { code: 'validation_error', message: listed.join('; ') };
}

// The product that has each sku as the batch goes on, and the one that gave it up.
function skuBook(products: readonly ProductRow[]) {
  const owners = new Map(products.map(({ id, sku }) => [sku, id]));
  const givers = new Map<string, string>();
  return {
    refuse(sku: string | undefined, id: string): Failure | undefined {
      if (sku === undefined || (owners.get(sku) ?? id) === id) return undefined;
      return { code: 'conflict', message: `sku ${sku} is taken by another product.` };
    },
    /** Gives the product its sku; returns who must release it before. */
    move(id: string, from: string | undefined, to: string | undefined): string[] {
      if (to === undefined || to === from) return [];
      owners.set(to, id);
      if (from !== undefined) {
        owners.delete(from);
        givers.set(from, id);
      }
      const giver = givers.get(to);
      return giver === undefined ? [] : [giver];
    },
  };
}
