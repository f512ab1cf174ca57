import { conflict, type FieldFault, invalid } from '../../errors.ts';
import { fieldChanges } from '../stock/changes.schema.ts';
import { planDeletions } from './sync.deletions.ts';
import { categoryFields, itemFields, productFields, stockFields, subselectionFields } from './sync.fields.ts';
import type {
  CatalogWrites,
  CurrentCatalog,
  ItemRow,
  ProductRow,
  StockRow,
  SubselectionRow,
} from './sync.rows.ts';
import type { CatalogChange, CatalogSyncMode, SyncedProduct, SyncedSubselection } from './sync.schema.ts';
import { by, emptyWrites, group, positions, settle } from './sync.settle.ts';
import type { NamedProduct, NamedTree } from './sync.tree.ts';

/** What a sync comes to: one change for every node that is named or removed. */
export interface CatalogPlan {
  changes: CatalogChange[];
  writes: CatalogWrites;
}

/**
 * Decides what becomes of every node: what is left out keeps its value, what is new takes the default, what is
 * equal is not written. Pure. Throws `validation_error` for an option whose min would be more than its max,
 * `conflict` for a sku that another product keeps. Contract, section 6.
 */
export function planCatalog(
  tree: NamedTree,
  mode: CatalogSyncMode,
  current: CurrentCatalog,
  newId: () => string,
): CatalogPlan {
  const plan: Planning = {
    changes: [],
    writes: emptyWrites(),
    faults: [],
    replaces: mode === 'replace',
    newId,
    subselections: group(current.subselections, ({ product_id }) => product_id),
    items: group(current.items, ({ subselection_id }) => subselection_id),
  };
  const categoryIds = planCategories(plan, tree, current);
  planProducts(plan, tree, current, categoryIds);
  if (plan.faults.length > 0) throw invalid(...plan.faults);
  if (plan.replaces) planDeletions(plan, tree, current);
  plan.writes.releasedSkus = releasedSkus(plan, tree, current);
  return { changes: plan.changes, writes: plan.writes };
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

function planCategories(plan: Planning, tree: NamedTree, current: CurrentCatalog): Map<string, string> {
  const known = by(current.categories, ({ external_id }) => external_id);
  const ids = new Map<string, string>();
  for (const { external_id, name, priority, visible, image_url } of tree.categories) {
    const before = known.get(external_id);
    const row = settle(plan.writes.categories, before, { name, priority, visible, image_url }, () => ({
      ...{ id: plan.newId(), external_id, name, priority: 0, visible: true, image_url: '' },
    }));
    ids.set(external_id, row.id);
    record(plan, 'category', [external_id], before?.id, fieldChanges(before, row, categoryFields));
  }
  return ids;
}

function planProducts(
  plan: Planning,
  tree: NamedTree,
  current: CurrentCatalog,
  categoryIds: ReadonlyMap<string, string>,
): void {
  const known = by(current.products, ({ external_id }) => external_id);
  const stocks = by(current.stock, ({ product_id }) => product_id);
  const links = group(current.links, ({ product_id }) => product_id);
  for (const named of tree.products) {
    const before = known.get(named.product.external_id);
    const row = settleProduct(plan, named.product, before);
    const changes = [
      ...fieldChanges(before, row, productFields).filter(
        // A sku that is made from the id is not foreseen: a dry run makes no id.
        ({ field }) => field !== 'sku' || before !== undefined || named.product.sku !== undefined,
      ),
      ...settleStock(plan, named.product, row.id, stocks.get(row.id)),
      ...settleLinks(plan, named, row.id, links.get(row.id) ?? [], categoryIds),
    ];
    record(plan, 'product', [named.product.external_id], before?.id, changes);
    planSubselections(plan, named, row.id);
  }
}

function settleProduct(plan: Planning, product: SyncedProduct, before: ProductRow | undefined): ProductRow {
  const { external_id, sku, name, description, price, visible, image_url } = product;
  const given = { sku, name, description, price, visible, image_url };
  return settle(plan.writes.products, before, given, () => {
    const id = plan.newId();
    return { id, external_id, sku: id, name, description: '', price, visible: true, image_url: '' };
  });
}

function settleStock(
  plan: Planning,
  { stock }: SyncedProduct,
  product_id: string,
  before: StockRow | undefined,
): CatalogChange['changes'] {
  if (stock === undefined) return [];
  const row = settle(plan.writes.stock, before, stock, () => ({ product_id, min_stock_alarm: 0, ...stock }));
  return fieldChanges(before, row, stockFields);
}

function settleLinks(
  plan: Planning,
  { categories }: NamedProduct,
  product_id: string,
  there: CurrentCatalog['links'],
  categoryIds: ReadonlyMap<string, string>,
): CatalogChange['changes'] {
  const wanted = new Map(categories.map((name) => [categoryIds.get(name) ?? '', name]));
  const linked = new Set(there.map(({ category_id }) => category_id));
  const added = [...wanted].filter(([id]) => !linked.has(id));
  const removed = plan.replaces ? there.filter(({ category_id }) => !wanted.has(category_id)) : [];
  plan.writes.addedLinks.push(...added.map(([category_id]) => ({ product_id, category_id })));
  plan.writes.removedLinks.push(...removed.map(({ category_id }) => ({ product_id, category_id })));
  if (added.length + removed.length === 0) return [];
  const stay = there.filter((link) => !removed.includes(link)).map(({ category }) => category);
  return [
    {
      field: 'categories',
      before: there.map(({ category }) => category).sort(),
      after: [...stay, ...added.map(([, name]) => name)].sort(),
    },
  ];
}

function planSubselections(plan: Planning, { at, product }: NamedProduct, product_id: string): void {
  const siblings = plan.subselections.get(product_id) ?? [];
  const known = by(siblings, ({ external_id }) => external_id);
  const named = product.subselections ?? [];
  const places = positions(named, siblings, plan.replaces);
  for (const [index, subselection] of named.entries()) {
    const { external_id, name, min_selection, max_selection, single } = subselection;
    const before = known.get(external_id);
    const position = places[index] ?? index;
    const given = { name, min_selection, max_selection, single, position };
    const row = settle(plan.writes.subselections, before, given, () => ({
      ...{ id: plan.newId(), product_id, external_id, name, min_selection, max_selection, position },
      single: max_selection === 1,
    }));
    const path = [product.external_id, external_id];
    record(plan, 'subselection', path, before?.id, fieldChanges(before, row, subselectionFields));
    planItems(plan, `${at}.subselections[${index}]`, path, subselection, row.id);
  }
}

function planItems(
  plan: Planning,
  at: string,
  path: string[],
  { items, max_selection }: SyncedSubselection,
  subselection_id: string,
): void {
  const siblings = plan.items.get(subselection_id) ?? [];
  const known = by(siblings, ({ external_id }) => external_id);
  const places = positions(items, siblings, plan.replaces);
  for (const [index, { external_id, name, price, min, max, visible, image_url, stock }] of items.entries()) {
    const before = known.get(external_id);
    const position = places[index] ?? index;
    const given = {
      ...{ name, price, min, max, visible, image_url, position },
      ...(stock && { stock_enabled: stock.enabled, stock_quantity: stock.quantity }),
    };
    const row = settle(plan.writes.items, before, given, () => ({
      ...{
        id: plan.newId(),
        subselection_id,
        external_id,
        name,
        price,
        min: 0,
        max: max_selection,
        position,
      },
      ...{ visible: true, image_url: '', stock_enabled: false, stock_quantity: 0 },
    }));
    if (row.min > row.max) {
      const [field, message] =
        min === undefined
          ? ['max', `must not be less than min, which is ${row.min}`]
          : ['min', `must not be more than max, which is ${row.max}`];
      plan.faults.push({ path: `${at}.items[${index}].${field}`, message });
    }
    record(plan, 'item', [...path, external_id], before?.id, fieldChanges(before, row, itemFields));
  }
}

function record(
  plan: Planning,
  type: CatalogChange['type'],
  external_ids: string[],
  id: string | undefined,
  changes: CatalogChange['changes'],
): void {
  const action = id === undefined ? 'created' : changes.length > 0 ? 'updated' : 'unchanged';
  plan.changes.push({ type, external_ids, ...(id !== undefined && { id }), action, changes });
}

/** The products that must give up their sku before others can have it. Throws `conflict` when one keeps it. */
function releasedSkus({ writes }: Planning, tree: NamedTree, current: CurrentCatalog): string[] {
  const removed = new Set(writes.removed.products);
  const after = by([...writes.products.updated, ...writes.products.created], ({ id }) => id);
  const owners = by(current.skuOwners, ({ sku }) => sku);
  const known = by(current.products, ({ external_id }) => external_id);
  const created = by(writes.products.created, ({ external_id }) => external_id);
  return tree.products.flatMap(({ product: { external_id, sku } }) => {
    const owner = sku === undefined ? undefined : owners.get(sku);
    const id = (known.get(external_id) ?? created.get(external_id))?.id;
    if (owner === undefined || owner.id === id || removed.has(owner.id)) return [];
    const next = after.get(owner.id);
    if (next === undefined || next.sku === sku) throw conflict(`sku ${sku} is taken by product ${owner.id}.`);
    return [owner.id];
  });
}
