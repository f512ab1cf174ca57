import { matchesOf } from './copy-matches.rules.ts';
import { type CategoriesHere, countFound, type MenuRow, type Planning, record } from './copy-plan.rules.ts';

/**
 * Decides what becomes of the menus: the categories of each come first, in their order there, and others that it has here behind them. A new
 * one is published where it is so there and none is here; what is published here stays so.
 */
export function planMenus(
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
        ...{ id: before?.id ?? plan.newId(), name, category_ids },
        ...{ is_published: isPublished, isNew: before === undefined },
      });
  }
}
