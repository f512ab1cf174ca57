/** The bounds of a subselection: how many units a line of an order chooses. */
export interface GroupBounds {
  min_selection: number;
  max_selection: number;
  /** Whether a line chooses one of its options at most. */
  single: boolean;
}

/** The bounds of an option, once it is chosen. */
export interface OptionBounds {
  min: number;
  max: number;
}

/**
 * How many units a line can choose at most. Below `min_selection`, every order of the product is refused. Stock and
 * visibility do not count: they change from day to day. In SQL: `most_selectable` (prisma/sql/catalog.sql).
 */
export function mostSelectable(
  { max_selection, single }: GroupBounds,
  options: readonly OptionBounds[],
): number {
  // An option whose minimum exceeds the maximum of the group cannot be chosen at all.
  const units = options.filter(({ min }) => min <= max_selection).map(({ max }) => max);
  const most = units.reduce((sum, max) => (single ? Math.max(sum, max) : sum + max), 0);
  return Math.min(most, max_selection);
}

/** Why no order can satisfy the subselection, as a sentence; undefined where one can. */
export function unsatisfiable(
  group: GroupBounds & { name: string },
  options: readonly OptionBounds[],
): string | undefined {
  const most = mostSelectable(group, options);
  if (most >= group.min_selection) return undefined;
  const needs = `${JSON.stringify(group.name)} needs at least ${group.min_selection}`;
  if (options.length === 0) return `${needs}, and has no options`;
  return `${needs}, and ${group.single ? 'a single one of its options allows' : 'its options allow'} at most ${most}`;
}
