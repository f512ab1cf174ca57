import { type Database, statement } from '@comanda/db';
import { type Cell, inCell } from './file.ts';

/** A location that answers here, and in the cell that it lives in. */
export interface Elsewhere {
  id: string;
  cell: string;
}

/**
 * Which locations of a database answer in another cell, too: what moved after a backup is active again in what was restored of it.
 * The cell that the database is of is known by its epoch. Throws where a cell cannot be asked.
 */
export async function livingElsewhere(here: Database, cells: readonly Cell[]): Promise<Elsewhere[]> {
  const [own] = await here.run(listServing, []);
  if (own === undefined || own.ids.length === 0) return [];
  const found = await Promise.all(
    cells.map(async (cell) => {
      const [there] = await inCell(cell, 'service', (database) => database.run(listServing, []));
      if (there === undefined || there.epoch === own.epoch) return [];
      return there.ids.filter((id) => own.ids.includes(id)).map((id) => ({ id, cell: cell.name }));
    }),
  );
  return found.flat();
}

const listServing = statement<{ epoch: string; ids: string[] }>(
  'list_serving_locations',
  `select database_epoch() as epoch, coalesce(array_agg(l.id::text) filter (where l.id is not null), '{}') as ids
   from (select l.id from locations l where l.status in ('active', 'read_only')
     and not exists (select from internal.moved_locations m where m.code = l.code)) l`,
);
