import type { Guard, Table } from './table.ts';

/** The guards of a table, that of its revision among them. */
export function guardsOf(table: Table): readonly Guard[] {
  return table.versioned === undefined ? ownGuards(table) : [...ownGuards(table), revisionGuard];
}

// The triggers that move it do so below a statement.
const revisionGuard: Guard = {
  never: ['revision'],
  when: 'pg_trigger_depth() = 0',
  whateverDeed: true,
  sentence: 'the revision of a row follows from its changes, and never changes by hand',
};

/**
 * The guard of its row; for resources published by id without one of their own, id, location and creation never
 * change.
 */
function ownGuards({ guards, published, columns }: Table): readonly Guard[] {
  if (guards !== undefined || published?.id !== 'id') return guards ?? [];
  return [
    {
      never: ['id', 'location_id', 'created_at'].filter((name) => name in columns),
      sentence: `the id, the location and the creation of a ${published.as} never change: make another one`,
    },
  ];
}

/**
 * The instruction for a person instead of deleting a row of the table in Studio; undefined where Studio deletes some,
 * or people delete none.
 */
export function keptInStudio(table: Table): string | undefined {
  if (table.access.people !== 'edit') return undefined;
  if (table.keptInStudio !== undefined) return table.keptInStudio;
  return guardsOf(table)
    .map((guard) =>
      'lines' in guard ? guard.lines : 'kept' in guard && guard.when === undefined ? guard.kept : undefined,
    )
    .find((sentence) => sentence !== undefined);
}
