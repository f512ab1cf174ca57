import type { Current, ItemRow, SubselectionRow, Writes } from '../bulk/rows.rules.ts';
import { by } from '../bulk/rules.ts';
import type { CatalogChange } from './sync.schema.ts';
import type { NamedTree } from './sync-tree.rules.ts';

interface Planned {
  changes: CatalogChange[];
  writes: Writes;
  subselections: ReadonlyMap<string, SubselectionRow[]>;
  items: ReadonlyMap<string, ItemRow[]>;
}

/** Removes what has an external_id and is not named, and with it what belongs to it. */
export function planDeletions(plan: Planned, tree: NamedTree, current: Current): void {
  const { removed } = plan.writes;
  const categories = new Set<string | null>(tree.categories.map(({ external_id }) => external_id));
  for (const { id, external_id } of current.categories) {
    if (external_id === null || categories.has(external_id)) continue;
    removed.categories.push(id);
    gone(plan, 'category', [external_id], id);
  }
  const products = by(tree.products, ({ product }) => product.external_id);
  for (const { id, external_id } of current.products) {
    if (external_id === null) continue;
    const subselections = inOrder(plan.subselections.get(id));
    const named = products.get(external_id);
    if (named === undefined) {
      removed.products.push(id);
      gone(plan, 'product', [external_id], id);
      for (const subselection of subselections) wholeSubselection(plan, external_id, subselection);
    } else {
      const kept = by(named.product.subselections ?? [], (subselection) => subselection.external_id);
      for (const subselection of subselections) {
        if (subselection.external_id === null) continue;
        const items = kept.get(subselection.external_id)?.items;
        if (items !== undefined)
          itemsOf(
            plan,
            external_id,
            subselection,
            by(items, (item) => item.external_id),
          );
        else {
          removed.subselections.push(subselection.id);
          wholeSubselection(plan, external_id, subselection);
        }
      }
    }
  }
}

function wholeSubselection(plan: Planned, product: string, { id, external_id }: SubselectionRow): void {
  const path = [product, external_id];
  gone(plan, 'subselection', path, id);
  for (const item of inOrder(plan.items.get(id))) gone(plan, 'item', [...path, item.external_id], item.id);
}

function itemsOf(
  plan: Planned,
  product: string,
  subselection: SubselectionRow,
  kept: ReadonlyMap<string, unknown>,
): void {
  for (const { id, external_id } of inOrder(plan.items.get(subselection.id))) {
    if (external_id === null || kept.has(external_id)) continue;
    plan.writes.removed.items.push(id);
    gone(plan, 'item', [product, subselection.external_id, external_id], id);
  }
}

// Rows come in the order of their ids, in which they are locked; people read them in that of the menu.
function inOrder<Row extends { position: number }>(rows: readonly Row[] = []): Row[] {
  return rows.toSorted((one, other) => one.position - other.position);
}

function gone(plan: Planned, type: CatalogChange['type'], path: (string | null)[], id: string): void {
  // What was made by hand has no external_id; it goes with what it belongs to.
  const external_ids = path.flatMap((name) => name ?? []);
  plan.changes.push({ type, external_ids, id, action: 'deleted', changes: [] });
}
