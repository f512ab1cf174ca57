import type { FieldFault } from '../../errors.ts';
import { spellingsOf } from '../../texts.ts';
import { by, group } from '../bulk/rules.ts';
import type { CopiedKind, MenuCopyChange } from './copy.schema.ts';

/** The fields that find a row. */
export interface Named {
  id: string;
  name: string;
  external_id?: string | null;
  sku?: string;
}

/** A row of the other location, and what it is here. */
export interface Match<Row> {
  from: Row;
  /** None: it must be made. */
  before: Row | undefined;
  matched_by: MenuCopyChange['matched_by'];
}

const identities = ['external_id', 'sku'] as const;

/**
 * Finds each row here: by its external_id, else by its SKU, else by its name where one row alone has it on both sides. No row is found
 * twice. A row without an external_id and a SKU of its own could not be found again under a name that several share: that is a fault.
 */
export function matchesOf<Row extends Named>(
  kind: CopiedKind,
  from: readonly Row[],
  here: readonly Row[],
  faults: FieldFault[],
): Match<Row>[] {
  const found = new Map<Row, Match<Row>>();
  const taken = new Set<Row>();
  const match = (row: Row, before: Row, matched_by: MenuCopyChange['matched_by']) => {
    found.set(row, { from: row, before, matched_by });
    taken.add(before);
  };
  for (const identity of identities) {
    const known = by(here, (row) => row[identity]);
    const spelling = spellingsOf(here.map((row) => row[identity] ?? null));
    for (const row of from) {
      const value = row[identity];
      const before = value === undefined || value === null ? undefined : known.get(spelling(value));
      if (before !== undefined && !found.has(row) && !taken.has(before)) match(row, before, identity);
    }
  }
  const isLeft = (row: Row) => !found.has(row) && !taken.has(row);
  const names = group(here.filter(isLeft), ({ name }) => name);
  for (const [name, alike] of group(from.filter(isLeft), (row) => row.name)) {
    const [only, ...more] = names.get(name) ?? [];
    const [row] = alike;
    if (alike.length === 1 && row !== undefined && only !== undefined && more.length === 0)
      match(row, only, 'name');
    else if (alike.length + more.length > 1 && !alike.every(isKnownAgain))
      faults.push({
        path: 'from_key',
        message: `several ${plural[kind]} are called "${name}" and have no external_id: give each one, or another name`,
      });
  }
  return from.map((row) => found.get(row) ?? { from: row, before: undefined, matched_by: undefined });
}

const isKnownAgain = ({ external_id, sku }: Named): boolean =>
  (external_id !== undefined && external_id !== null) || sku !== undefined;

const plural: Readonly<Record<CopiedKind, string>> = {
  category: 'categories',
  product: 'products',
  subselection: 'choices',
  item: 'options',
  menu: 'menus',
};
