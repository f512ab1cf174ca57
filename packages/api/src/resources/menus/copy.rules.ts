import { conflict, invalid } from '../../errors.ts';
import type { ItemRow, SubselectionRow } from '../bulk/rows.rules.ts';
import { by, emptyWrites, group, settleLinks } from '../bulk/rules.ts';
import { matchesOf, type Named } from './copy-matches.rules.ts';
import {
  type CategoriesHere,
  type CopyPlan,
  countFound,
  type MenuRow,
  type Planning,
  record,
  settled,
  type Whole,
} from './copy-plan.rules.ts';

/**
 * Decides what a copy makes and changes of what is here, in steps. Nothing is removed; what is here keeps its external_id, its SKU, its stock and
 * its own categories and options. Throws `validation_error` for what could not be found again (`matchesOf`), `conflict`
 * for a SKU that another product has here.
 */
export function* planCopy(from: Whole, here: Whole, newId: () => string): Steps<CopyPlan> {
  const plan: Planning = {
    writes: emptyWrites(),
    menus: [],
    changes: [],
    unchanged: 0,
    kept: 0,
    faults: [],
    newId,
  };
  const categories = yield* planCategories(plan, from, here);
  yield* planProducts(plan, from, here, categories);
  planMenus(plan, from.menus, here.menus, categories);
  if (plan.faults.length > 0) throw invalid(plan.faults);
  const { faults: _faults, newId: _newId, ...decided } = plan;
  return decided;
}

function* planCategories(plan: Planning, from: Whole, here: Whole): Steps<CategoriesHere> {
  const idOf = new Map<string, string>();
  const nameOf = new Map(here.categories.map(({ id, name }) => [id, name]));
  const matches = matchesOf('category', from.categories, here.categories, plan.faults);
  plan.kept += here.categories.length - countFound(matches);
  for (const match of matches) {
    yield;
    const { row, changes } = settled(plan, 'category', match, plan.writes.categories);
    idOf.set(match.from.id, row.id);
    nameOf.set(row.id, row.name);
    record(plan, 'category', [row.name], match, changes);
  }
  return { idOf, nameOf };
}

function* planProducts(
  plan: Planning,
  from: Whole,
  here: Whole,
  { idOf, nameOf }: CategoriesHere,
): Steps<void> {
  const matches = matchesOf('product', from.products, here.products, plan.faults);
  plan.kept += here.products.length - countFound(matches);
  const skus = by(here.products, ({ sku }) => sku);
  const links = { from: linksOf(from), here: linksOf(here) };
  const subselections = { from: choicesOf(from), here: choicesOf(here) };
  const items = { from: optionsOf(from), here: optionsOf(here) };
  for (const match of matches) {
    yield;
    const owner = match.before === undefined ? skus.get(match.from.sku) : undefined;
    if (owner !== undefined)
      throw conflict(
        'sku_taken',
        `sku ${match.from.sku} is that of another product here, ${owner.name}: give one of them another SKU.`,
        { collection: 'products', id: owner.id },
      );
    const { row, changes } = settled(plan, 'product', match, plan.writes.products);
    const wanted = new Map(
      (links.from.get(match.from.id) ?? []).flatMap(({ category_id }) => {
        const id = idOf.get(category_id);
        return id === undefined ? [] : [[id, nameOf.get(id) ?? id] as const];
      }),
    );
    const there = (links.here.get(row.id) ?? []).map((link) => ({
      ...link,
      category: nameOf.get(link.category_id) ?? link.category,
    }));
    const moved = settleLinks(plan.writes, row.id, wanted, there, false);
    record(plan, 'product', [row.name], match, [
      ...changes,
      ...(moved === undefined ? [] : [{ field: 'categories', ...moved }]),
    ]);
    planChoices(plan, row, subselections.from.get(match.from.id), subselections.here.get(row.id), items);
  }
}

/** Work that can be left and gone on with after each product and category. */
type Steps<Result> = Generator<undefined, Result>;

interface Sides<Row> {
  from: ReadonlyMap<string, Row[]>;
  here: ReadonlyMap<string, Row[]>;
}

function planChoices(
  plan: Planning,
  product: Named,
  from: readonly SubselectionRow[] = [],
  here: readonly SubselectionRow[] = [],
  items: Sides<ItemRow>,
): void {
  for (const match of matchesOf('subselection', from, here, plan.faults)) {
    const { row, changes } = settled(plan, 'subselection', match, plan.writes.subselections, {
      product_id: product.id,
    });
    record(plan, 'subselection', [product.name, row.name], match, changes);
    const options = items.from.get(match.from.id) ?? [];
    for (const option of matchesOf('item', options, items.here.get(row.id) ?? [], plan.faults)) {
      const made = settled(plan, 'item', option, plan.writes.items, {
        subselection_id: row.id,
        stock_enabled: false,
        stock_quantity: 0,
      });
      record(plan, 'item', [product.name, row.name, made.row.name], option, made.changes);
    }
  }
}

/**
 * Decides what becomes of the menus: the categories of each come first, in their order there, and others that it has here behind them. A new
 * one is published where it is so there and none is here; what is published here stays so.
 */
function planMenus(
  plan: Planning,
  from: readonly MenuRow[],
  here: readonly MenuRow[],
  { idOf, nameOf }: CategoriesHere,
): void {
  const isAnyPublished = here.some(({ is_published }) => is_published);
  const matches = matchesOf('menu', from, here, plan.faults);
  plan.kept += here.length - countFound(matches);
  for (const match of matches) {
    const { name, is_published } = match.from;
    const { before } = match;
    const there = before?.category_ids ?? [];
    const wanted = match.from.category_ids.flatMap((id) => idOf.get(id) ?? []);
    const category_ids = [...new Set([...wanted, ...there])];
    const isPublished = before?.is_published ?? (is_published && !isAnyPublished);
    const isMoved = before === undefined || category_ids.join() !== there.join();
    const named = (ids: readonly string[]) => ids.map((id) => nameOf.get(id) ?? id);
    record(plan, 'menu', [name], match, [
      ...(before === undefined ? [{ field: 'is_published', after: isPublished }] : []),
      ...(isMoved
        ? [{ field: 'categories', ...(before && { before: named(there) }), after: named(category_ids) }]
        : []),
    ]);
    if (isMoved)
      plan.menus.push({
        id: before?.id ?? plan.newId(),
        name,
        category_ids,
        is_published: isPublished,
        isNew: before === undefined,
      });
  }
}

const linksOf = ({ links }: Whole) => group(links, ({ product_id }) => product_id);
const choicesOf = ({ subselections }: Whole) => group(subselections, ({ product_id }) => product_id);
const optionsOf = ({ items }: Whole) => group(items, ({ subselection_id }) => subselection_id);
