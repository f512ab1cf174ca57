import { type ApiError, conflict, type FieldFault, invalid } from '../../errors.ts';
import type { ItemRow, SubselectionRow } from '../bulk/rows.rules.ts';
import { mostSelectable, unsatisfiable } from './rules.ts';

/** A subselection and its options, before a change or after it. */
export interface Choice {
  group: SubselectionRow;
  items: readonly ItemRow[];
}

/**
 * Refuses a change after which no order can satisfy the subselection, with the path of the field that causes it. Where no order
 * could before, a change passes that brings it closer, or touches no bound (`boundless`). Throws `validation_error`.
 */
export function refuseUnsatisfiable(
  before: Choice | undefined,
  after: Choice,
  { path, boundless = false }: { path: string; boundless?: boolean },
): void {
  const message = unsatisfiable(after.group, after.items);
  if (message === undefined) return;
  const missed = before === undefined ? 0 : missing(before);
  if (missed > 0 && (boundless || missing(after) < missed)) return;
  throw invalid({ path, message: `could not be satisfied by any order: ${message}` });
}

const missing = ({ group, items }: Choice): number => group.min_selection - mostSelectable(group, items);

/** Refuses bounds of which the least is more than the most; `given` are the fields of the call. Throws `validation_error`. */
export function refuseBounds<Field extends string>(
  row: Readonly<Record<Field, number>>,
  [least, most]: readonly [Field, Field],
  given: { readonly [Name in Field]?: number | undefined },
  at = '',
): void {
  if (row[least] <= row[most]) return;
  const fault: FieldFault =
    given[least] === undefined
      ? { path: at + most, message: `must not be less than ${least}, which is ${row[least]}` }
      : { path: at + least, message: `must not be more than ${most}, which is ${row[most]}` };
  throw invalid(fault);
}

/** Refuses an external_id that another of these has; also in another normalization. Throws `conflict`. */
export function refuseTaken(
  kind: 'subselection' | 'item',
  { id, external_id }: { id: string; external_id: string | null },
  siblings: readonly { id: string; external_id: string | null }[],
): void {
  const name = external_id?.normalize('NFC');
  if (name === undefined) return;
  const owner = siblings.find((each) => each.id !== id && each.external_id?.normalize('NFC') === name);
  if (owner !== undefined) throw taken(kind, name, owner.id);
}

const taken = (kind: string, name: string, id: string): ApiError =>
  conflict('external_id_taken', `external_id ${name} is taken by ${kind} ${id}.`, { id });

interface Positioned {
  id: string;
  position: number;
}

/** Rows of one parent, as the catalog shows them. */
export const inOrder = <Row extends Positioned>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1));

/** The index of the row among its siblings, as the catalog shows them. */
export const placeOf = (id: string, siblings: readonly Positioned[]): number =>
  inOrder(siblings).findIndex((each) => each.id === id);

/** The position that a row is stored with, and its siblings that get another one. */
interface Placed<Row> {
  position: number;
  moved: Row[];
}

/**
 * Puts a row at `place` among the others, at the end when left out. Their positions have no gaps then: a catalog sync and hand edits
 * leave gaps and ties.
 */
export function placed<Row extends Positioned>(others: readonly Row[], place = others.length): Placed<Row> {
  const position = placeWithin(others, place);
  const moved = inOrder(others).flatMap((row, index) => {
    const next = index < position ? index : index + 1;
    return row.position === next ? [] : { ...row, position: next };
  });
  return { position, moved };
}

/** Moves a row among its siblings from one place to another. Nothing changes when it is there already. */
export function moving<Row extends Positioned>(
  { id, position }: Row,
  siblings: readonly Row[],
  place: number | undefined,
): Placed<Row> & { from: number; to: number } {
  const others = siblings.filter((each) => each.id !== id);
  const from = placeOf(id, siblings);
  const to = place === undefined ? from : placeWithin(others, place);
  return { from, to, ...(to === from ? { position, moved: [] } : placed(others, to)) };
}

const placeWithin = (others: readonly unknown[], place: number): number =>
  Math.min(Math.max(place, 0), others.length);

/** A subselection as its audit entry shows it. */
export function recorded(
  { external_id, ...group }: SubselectionRow,
  items: readonly ItemRow[],
  { position, product_name }: { position: number; product_name: string },
): Record<string, unknown> {
  return {
    ...group,
    position,
    product_name,
    ...(external_id !== null && { external_id }),
    selectable: mostSelectable(group, items),
    items: inOrder(items).map(recordedItem),
  };
}

/** An option as its audit entry shows it. */
export function recordedItem(
  { external_id, stock_enabled, stock_quantity, ...item }: ItemRow,
  position: number,
): Record<string, unknown> {
  return {
    ...item,
    position,
    ...(external_id !== null && { external_id }),
    stock: { enabled: stock_enabled, quantity: stock_quantity },
  };
}
