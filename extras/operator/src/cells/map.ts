import { CommandError } from '@comanda/api/src/command-error.ts';
import { toApiError } from '@comanda/api/src/errors.ts';
import { type Database, statement } from '@comanda/db';
import { type Cell, inCell } from './file.ts';

/** Which cell each location lives in, by its code, in the order of the codes. */
export type CellMap = ReadonlyMap<string, string>;

interface Placed {
  id: string;
  code: string;
  /** Whether reads are answered there. */
  serves: boolean;
  /** Whether the cell says that it left. */
  left: boolean;
  /** The cell that it is led to by now, where it moves. */
  leads_to: string | null;
}

/**
 * Asks every cell which locations it has. A location that left a cell is not there; of one that is in several, the cell that
 * answers its reads has it; of one that is `led` it is the cell that it is led to, or the other one than that which it is led
 * away from. Throws CommandError where that is not one cell, or a cell cannot be asked.
 */
export async function mapCells(cells: readonly Cell[], led?: Led): Promise<CellMap> {
  const found = await Promise.all(cells.map(async (cell) => ({ cell, placed: await placedIn(cell) })));
  const places = new Map<string, { name: string; at: Placed }[]>();
  for (const { cell, placed } of found)
    for (const at of placed) {
      const known = places.get(at.code);
      if (known === undefined) places.set(at.code, [{ name: cell.name, at }]);
      else known.push({ name: cell.name, at });
    }
  const codes = [...places.keys()].sort();
  return new Map(
    codes.map((code) => {
      const here = places.get(code) ?? [];
      const others = here.filter(({ name }) => name !== led?.awayFrom);
      return [code, code === led?.code ? (led.to ?? cellOf(code, others)) : cellOf(code, here)];
    }),
  );
}

/** A location that a move leads somewhere. */
export type Led =
  | { code: string; to: string; awayFrom?: never }
  | { code: string; to?: never; awayFrom: string };

function cellOf(code: string, places: readonly { name: string; at: Placed }[]): string {
  const names = (some: typeof places) =>
    some.map(({ name, at }) => `${name} (location ${at.id})`).join(' and ');
  const here = places.filter(({ at }) => !at.left);
  // Of two that answer reads it moves from the one to the other.
  const serves = here.filter(({ at }) => at.serves);
  const serving = serves.filter(({ at }) => !serves.some(({ name }) => name === at.leads_to));
  const [chosen, ...more] = here.length === 1 ? here : serving;
  if (chosen !== undefined && more.length === 0) return chosen.name;
  if (here.length === 0)
    throw refused(
      `the location ${code} left ${names(places)} for a cell that is not in the file, or has it no more: delete it there, or add the cell`,
    );
  if (new Set(here.map(({ at }) => at.id)).size > 1)
    throw refused(`the code ${code} is that of two locations, in ${names(here)}: replace one of them`);
  const fault =
    serving.length > 1
      ? 'both answer: disable it in the one that it left'
      : 'neither answers: enable it in one';
  throw refused(`the location ${code} is in ${names(here)}, and ${fault}`);
}

async function placedIn(cell: Cell): Promise<Placed[]> {
  try {
    return await inCell(cell, 'service', (database: Database) => database.run(listPlaced, []));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw refused(`cell ${cell.name} cannot be asked, so nothing is printed: ${cause}`, error);
  }
}

const refused = (message: string, cause?: unknown): CommandError =>
  new CommandError(cause === undefined ? 'conflict' : toApiError(cause).errorCode, message);

const listPlaced = statement<Placed>(
  'list_placed_locations',
  `select l.id, l.code, l.status in ('active', 'read_only') as serves, m.code is not null as left, v.cell as leads_to
   from locations l left join internal.moved_locations m on m.code = l.code
   left join internal.location_moves v on v.id = l.id and v.step = 'map'`,
);

/** The uses that a map may be printed for. */
export const mapForms = {
  haproxy: (map: CellMap) => linesOf(map, (code, cell) => `${code} ${cell}`),
  nginx: (map: CellMap) => linesOf(map, (code, cell) => `${code} ${cell};`),
  json: (map: CellMap) => `${JSON.stringify(Object.fromEntries(map), null, 2)}\n`,
} as const satisfies Record<string, (map: CellMap) => string>;

const linesOf = (map: CellMap, line: (code: string, cell: string) => string): string =>
  ['# comanda cells map', ...[...map].map(([code, cell]) => line(code, cell)), ''].join('\n');
