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
  conflict('external_id_taken', `external_id ${name} is taken by ${kind} ${id}.`);

/** A position after all of these. */
export const positionAfter = (siblings: readonly { position: number }[]): number =>
  siblings.reduce((highest, { position }) => Math.max(highest, position), -1) + 1;
