import type { Guard, Table } from './table.ts';

/** The guards of a table; of what is published by its id and names none, id, location and creation never change. */
export function guardsOf({ guards, published, columns }: Table): readonly Guard[] {
  if (guards !== undefined || published?.id !== 'id') return guards ?? [];
  return [
    {
      never: ['id', 'location_id', 'created_at'].filter((name) => name in columns),
      sentence: `the id, the location and the creation of a ${published.as} never change: make another one`,
    },
  ];
}
