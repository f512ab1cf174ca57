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

/** What its row says; of what is published by its id and names none, id, location and creation never change. */
function ownGuards({ guards, published, columns }: Table): readonly Guard[] {
  if (guards !== undefined || published?.id !== 'id') return guards ?? [];
  return [
    {
      never: ['id', 'location_id', 'created_at'].filter((name) => name in columns),
      sentence: `the id, the location and the creation of a ${published.as} never change: make another one`,
    },
  ];
}
