import type { Current, ItemRow, SubselectionRow, Writes } from '../bulk/rows.rules.ts';
import { by } from '../bulk/rules.ts';
import type { CatalogChange } from './sync.schema.ts';
import { deletionsOf, given } from './sync-entries.rules.ts';
import type { NamedTree } from './sync-tree.rules.ts';

interface Planned {
  changes: CatalogChange[];
  writes: Writes;
  replaces: boolean;
  named: number;
  subselections: ReadonlyMap<string, SubselectionRow[]>;
  items: ReadonlyMap<string, ItemRow[]>;
}

type Type = CatalogChange['type'];

/**
 * Removes what is named with `delete` and, of a catalog that is replaced, what has an external_id and is not named; and with
 * it what belongs to it.
 */
export function planDeletions(plan: Planned, tree: NamedTree, current: Current): void {
  const { removed } = plan.writes;
  const categories = tree.categories.map(({ external_id }) => external_id);
  for (const { id, path } of going(plan, 'category', [], current.categories, {
    kept: categories,
    deleted: tree.deleted.categories,
  })) {
    removed.categories.push(id);
    gone(plan, 'category', path, id);
  }
  const products = by(tree.products, ({ product }) => product.external_id);
  for (const { id, path } of going(plan, 'product', [], current.products, {
    kept: [...products.keys()],
    deleted: tree.deleted.products,
  })) {
    removed.products.push(id);
    gone(plan, 'product', path, id);
    for (const subselection of inOrder(plan.subselections.get(id))) whole(plan, path, subselection);
  }
  const known = by(current.products, ({ external_id }): string | null => external_id);
  for (const [external_id, { product }] of products)
    planWithin(plan, external_id, known.get(external_id)?.id, product.subselections);
}

function planWithin(
  plan: Planned,
  product: string,
  id: string | undefined,
  entries: NamedTree['products'][number]['product']['subselections'],
): void {
  const { removed } = plan.writes;
  const siblings = id === undefined ? [] : inOrder(plan.subselections.get(id));
  const named = given.subselections(entries);
  const kept = named.map(({ external_id }) => external_id);
  for (const each of going(plan, 'subselection', [product], siblings, {
    kept,
    deleted: deletionsOf(entries),
  })) {
    removed.subselections.push(each.id);
    whole(plan, [product], each);
  }
  const known = by(siblings, ({ external_id }): string | null => external_id);
  for (const { external_id, items } of named) {
    const path = [product, external_id];
    const options = inOrder(plan.items.get(known.get(external_id)?.id ?? ''));
    const names = { kept: given.items(items).map((item) => item.external_id), deleted: deletionsOf(items) };
    for (const item of going(plan, 'item', path, options, names)) {
      removed.items.push(item.id);
      gone(plan, 'item', item.path, item.id);
    }
  }
}

/** Of rows with one parent those to delete; notes named ones that do not exist. */
function going<Row extends { id: string; external_id: string | null }>(
  plan: Planned,
  type: Type,
  parents: string[],
  rows: readonly Row[],
  { kept, deleted }: Record<'kept' | 'deleted', readonly string[]>,
): (Row & { path: string[] })[] {
  if (!plan.replaces && deleted.length === 0) return [];
  const names = new Set(rows.map(({ external_id }) => external_id));
  const [stay, go] = [new Set(kept), new Set(deleted)];
  plan.named += go.size;
  for (const name of go)
    if (!names.has(name))
      plan.changes.push({ type, external_ids: [...parents, name], action: 'unchanged', changes: [] });
  return rows.flatMap((row) => {
    const { external_id } = row;
    if (external_id === null || !(plan.replaces ? !stay.has(external_id) : go.has(external_id))) return [];
    return { ...row, path: [...parents, external_id] };
  });
}

function whole(plan: Planned, parents: readonly string[], { id, external_id }: SubselectionRow): void {
  const path = [...parents, external_id];
  gone(plan, 'subselection', path, id);
  for (const item of inOrder(plan.items.get(id))) gone(plan, 'item', [...path, item.external_id], item.id);
}

// Rows come in the order of their ids, in which they are locked; people read them in that of the menu.
function inOrder<Row extends { position: number }>(rows: readonly Row[] = []): Row[] {
  return rows.toSorted((one, other) => one.position - other.position);
}

function gone(plan: Planned, type: Type, path: readonly (string | null)[], id: string): void {
  // Rows made by hand have no external_id; they are deleted with their parent.
  const external_ids = path.flatMap((name) => name ?? []);
  plan.changes.push({ type, external_ids, id, action: 'deleted', changes: [] });
}
