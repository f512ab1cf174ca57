import type { FieldFault } from '../../errors.ts';
import { fieldChanges } from '../bulk/changes.schema.ts';
import type { Current, Writes } from '../bulk/rows.rules.ts';
import { actionOf, settle } from '../bulk/rules.ts';
import { productColumns } from '../products/fields.schema.ts';
import type { MenuCopyChange } from './copy.schema.ts';
import type { Match, Named } from './copy-matches.rules.ts';

/** A menu with its categories in their order. */
export interface MenuRow {
  id: string;
  name: string;
  is_published: boolean;
  category_ids: string[];
}

/** All that a location has of what is copied. */
export interface Whole extends Omit<Current, 'unknown' | 'stock'> {
  menus: MenuRow[];
}

/** A menu to write: its categories in their order where these change. */
export interface MenuWrite extends MenuRow {
  isNew: boolean;
}

/** The effect of a copy. */
export interface CopyPlan {
  writes: Writes;
  menus: MenuWrite[];
  changes: MenuCopyChange[];
  /** How many rows of the other location are here as they are there. */
  unchanged: number;
  /** How many categories, products and menus are here alone. */
  kept: number;
}

/** A plan in the making. */
export interface Planning extends CopyPlan {
  faults: FieldFault[];
  newId(): string;
}

/** The categories as they will be here: of those of the other location their id here, and the names of all by their id here. */
export interface CategoriesHere {
  idOf: ReadonlyMap<string, string>;
  nameOf: ReadonlyMap<string, string>;
}

const columns = {
  category: ['name', 'priority', 'visible', 'image_url'],
  // A SKU names a product: one that is here keeps its own.
  product: productColumns.filter((name) => name !== 'sku'),
  subselection: ['name', 'min_selection', 'max_selection', 'single', 'position'],
  item: ['name', 'price', 'min', 'max', 'visible', 'image_url', 'position'],
} as const;

/** The row as the copy leaves it. A new one is that of the other location with an id of its own, and `own` in place of fields that are not copied. */
export function settled<Row extends Named>(
  { newId }: Planning,
  kind: keyof typeof columns,
  { from, before }: Match<Row>,
  written: { created: Row[]; updated: Row[] },
  own: Partial<Row> = {},
) {
  const names = columns[kind] as readonly (keyof Row & string)[];
  // A value that the other location does not have, such as a tax rate, stays.
  const given = Object.fromEntries(names.map((name) => [name, from[name] ?? undefined])) as {
    [Name in keyof Row]?: Row[Name] | undefined;
  };
  const row = settle(written, before, given, () => ({ ...from, ...own, id: newId() }));
  const shown = Object.fromEntries(names.map((name) => [name, name]));
  return { row, changes: fieldChanges(before, row, shown as Partial<Record<keyof Row & string, string>>) };
}

/** Notes what becomes of a row. */
export function record(
  plan: Planning,
  type: MenuCopyChange['type'],
  names: string[],
  { before, matched_by }: Pick<Match<Named>, 'before' | 'matched_by'>,
  changes: MenuCopyChange['changes'],
): void {
  const action = actionOf(before, changes);
  if (action === 'unchanged') plan.unchanged += 1;
  else plan.changes.push({ type, names, action, ...(matched_by && { matched_by }), changes });
}

/** How many of them are here already. */
export const countFound = (matches: readonly Match<Named>[]): number =>
  matches.filter(({ before }) => before !== undefined).length;
