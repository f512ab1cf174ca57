import { conflict, type FieldFault, invalid } from '../../errors.ts';
import { fieldChanges } from '../bulk/changes.schema.ts';
import type { Current, ItemRow, SubselectionRow, Writes } from '../bulk/rows.rules.ts';
import {
  actionOf,
  by,
  emptyWrites,
  group,
  settle,
  settleLinks,
  settleProduct,
  settleStock,
} from '../bulk/rules.ts';
import { unsatisfiable } from '../subselections/rules.ts';
import type { CatalogChange, CatalogNode, CatalogSyncMode, CatalogWarning } from './sync.schema.ts';
import { planDeletions } from './sync-deletions.rules.ts';
import { type GivenSubselection, given, positions } from './sync-entries.rules.ts';
import type { NamedProduct, NamedTree } from './sync-tree.rules.ts';

/** The names of the compared columns in a dry run. */
const categoryFields = {
  name: 'name',
  priority: 'priority',
  visible: 'visible',
  image_url: 'image_url',
} as const;
const subselectionFields = {
  name: 'name',
  min_selection: 'min_selection',
  max_selection: 'max_selection',
  single: 'single',
  position: 'position',
} as const;
const itemFields = {
  name: 'name',
  price: 'price',
  min: 'min',
  max: 'max',
  visible: 'visible',
  image_url: 'image_url',
  position: 'position',
  stock_enabled: 'stock.enabled',
  stock_quantity: 'stock.quantity',
} as const;

/** The outcome of a sync: one change for every node that is named or removed. */
export interface CatalogPlan {
  changes: CatalogChange[];
  /** How many nodes are named. */
  named: number;
  /** Every node that is named and not deleted, by the id that it has or gets. */
  ids: CatalogNode[];
  /** The named subselections that no order can satisfy. */
  warnings: CatalogWarning[];
  writes: Writes;
}

/**
 * Decides what becomes of every node: what is left out keeps its value, what is new takes the default, what is
 * equal is not written. Pure. Throws `validation_error` for an option whose min would be more than its max,
 * `conflict` for a sku that another product keeps. Contract, section 6.
 */
export function planCatalog(
  tree: NamedTree,
  mode: CatalogSyncMode,
  current: Current,
  newId: () => string,
): CatalogPlan {
  const plan: Planning = {
    changes: [],
    named: 0,
    ids: [],
    warnings: [],
    writes: emptyWrites(),
    faults: [],
    replaces: mode === 'replace',
    newId,
    subselections: group(current.subselections, ({ product_id }) => product_id),
    items: group(current.items, ({ subselection_id }) => subselection_id),
  };
  const categoryIds = planCategories(plan, tree, current);
  planProducts(plan, tree, current, categoryIds);
  if (plan.faults.length > 0) throw invalid(plan.faults);
  plan.named = plan.ids.length;
  planDeletions(plan, tree, current);
  plan.writes.releasedSkus = releasedSkus(plan, tree, current);
  const { changes, named, ids, warnings, writes } = plan;
  return { changes, named, ids, warnings, writes };
}

/** The categories, by id, that get another name or place, or go. */
export function changedCategories(
  { categories, deleted }: NamedTree,
  mode: CatalogSyncMode,
  current: readonly Current['categories'][number][],
): string[] {
  const named = by(categories, ({ external_id }): string | null => external_id);
  const going = new Set<string | null>(deleted.categories);
  return current.flatMap(({ id, external_id, name, priority }) => {
    const next = named.get(external_id);
    if (next === undefined) return mode === 'replace' || going.has(external_id) ? id : [];
    return next.name === name && (next.priority ?? priority) === priority ? [] : id;
  });
}

interface Planning extends CatalogPlan {
  faults: FieldFault[];
  replaces: boolean;
  newId(): string;
  /** Those there are, by product. */
  subselections: ReadonlyMap<string, SubselectionRow[]>;
  /** Those there are, by subselection. */
  items: ReadonlyMap<string, ItemRow[]>;
}

function planCategories(plan: Planning, tree: NamedTree, current: Current): Map<string, string> {
  const known = by(current.categories, ({ external_id }) => external_id);
  const ids = new Map<string, string>();
  for (const { external_id, name, priority, visible, image_url } of tree.categories) {
    const before = known.get(external_id);
    const row = settle(plan.writes.categories, before, { name, priority, visible, image_url }, () => ({
      id: plan.newId(),
      external_id,
      name,
      priority: 0,
      visible: true,
      image_url: '',
    }));
    ids.set(external_id, row.id);
    record(plan, 'category', [external_id], row.id, before, fieldChanges(before, row, categoryFields));
  }
  return ids;
}

function planProducts(
  plan: Planning,
  tree: NamedTree,
  current: Current,
  categoryIds: ReadonlyMap<string, string>,
): void {
  const known = by(current.products, ({ external_id }) => external_id);
  const stocks = by(current.stock, ({ product_id }) => product_id);
  const links = group(current.links, ({ product_id }) => product_id);
  for (const named of tree.products) {
    const { product, categories } = named;
    const before = known.get(product.external_id);
    const id = before?.id ?? plan.newId();
    const wanted = new Map(categories.map((name) => [categoryIds.get(name) ?? '', name]));
    const moved = settleLinks(plan.writes, id, wanted, links.get(id) ?? [], plan.replaces);
    const changes = [
      ...settleProduct(plan.writes, id, product, before)(),
      ...settleStock(plan.writes, id, product.stock, stocks.get(id))(),
      ...(moved === undefined ? [] : [{ field: 'categories', ...moved }]),
    ];
    record(plan, 'product', [product.external_id], id, before, changes);
    planSubselections(plan, named, id);
  }
}

function planSubselections(plan: Planning, { at, product }: NamedProduct, product_id: string): void {
  const siblings = plan.subselections.get(product_id) ?? [];
  const known = by(siblings, ({ external_id }) => external_id);
  const named = given.subselections(product.subselections);
  const places = positions(named, siblings, plan.replaces);
  for (const [index, subselection] of named.entries()) {
    const { external_id, name, min_selection, max_selection, single } = subselection;
    const before = known.get(external_id);
    const position = places[index] ?? index;
    const fields = { name, min_selection, max_selection, single, position };
    const row = settle(plan.writes.subselections, before, fields, () => ({
      id: plan.newId(),
      product_id,
      external_id,
      name,
      min_selection,
      max_selection,
      position,
      single: max_selection === 1,
    }));
    const path = [product.external_id, external_id];
    record(plan, 'subselection', path, row.id, before, fieldChanges(before, row, subselectionFields));
    const entry = product.subselections?.indexOf(subselection) ?? index;
    const where = `${at}.subselections[${entry}]`;
    const items = planItems(plan, where, path, subselection, row.id);
    const message = unsatisfiable(row, items);
    if (message !== undefined) plan.warnings.push({ path: where, message });
  }
}

/** Returns all items of the subselection, as they are after the sync. */
function planItems(
  plan: Planning,
  at: string,
  path: string[],
  { items: entries, max_selection }: GivenSubselection,
  subselection_id: string,
): ItemRow[] {
  const siblings = plan.items.get(subselection_id) ?? [];
  const known = by(siblings, ({ external_id }) => external_id);
  const items = given.items(entries);
  const places = positions(items, siblings, plan.replaces);
  const named = new Set<string | null>(entries.map(({ external_id }) => external_id));
  const rows = siblings.filter(
    ({ external_id }) => external_id === null || !(plan.replaces || named.has(external_id)),
  );
  for (const [index, item] of items.entries()) {
    const { external_id, name, price, min, max, visible, image_url, stock } = item;
    const before = known.get(external_id);
    const position = places[index] ?? index;
    const fields = {
      name,
      price,
      min,
      max,
      visible,
      image_url,
      position,
      ...(stock && { stock_enabled: stock.enabled, stock_quantity: stock.quantity }),
    };
    const row = settle(plan.writes.items, before, fields, () => ({
      id: plan.newId(),
      subselection_id,
      external_id,
      name,
      price,
      min: 0,
      max: max_selection,
      position,
      visible: true,
      image_url: '',
      stock_enabled: false,
      stock_quantity: 0,
    }));
    if (row.min > row.max) {
      const [field, message] =
        min === undefined
          ? ['max', `must not be less than min, which is ${row.min}`]
          : ['min', `must not be more than max, which is ${row.max}`];
      plan.faults.push({ path: `${at}.items[${entries.indexOf(item)}].${field}`, message });
    }
    rows.push(row);
    record(plan, 'item', [...path, external_id], row.id, before, fieldChanges(before, row, itemFields));
  }
  return rows;
}

function record(
  { changes: all, ids }: Planning,
  type: CatalogChange['type'],
  external_ids: string[],
  id: string,
  before: object | undefined,
  changes: CatalogChange['changes'],
): void {
  const action = actionOf(before, changes);
  all.push({ type, external_ids, ...(before && { id }), action, changes });
  ids.push({ type, external_ids, id });
}

/** The products that must give up their sku before others can have it. Throws `conflict` when one keeps it. */
function releasedSkus({ writes }: Planning, tree: NamedTree, current: Current): string[] {
  const removed = new Set(writes.removed.products);
  const after = by([...writes.products.updated, ...writes.products.created], ({ id }) => id);
  const owners = by(current.products, ({ sku }) => sku);
  const known = by(current.products, ({ external_id }) => external_id);
  const created = by(writes.products.created, ({ external_id }) => external_id);
  return tree.products.flatMap(({ product: { external_id, sku } }) => {
    const owner = sku === undefined ? undefined : owners.get(sku);
    const id = (known.get(external_id) ?? created.get(external_id))?.id;
    if (owner === undefined || owner.id === id || removed.has(owner.id)) return [];
    const next = after.get(owner.id);
    if (next === undefined || next.sku === sku)
      throw conflict('sku_taken', `sku ${sku} is taken by product ${owner.id}.`, {
        collection: 'products',
        id: owner.id,
      });
    return [owner.id];
  });
}
