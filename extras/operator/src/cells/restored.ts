import { CommandError } from '@comanda/api/src/command-error.ts';
import type { Work } from '@comanda/cli/command';
import { restored } from '@comanda/cli/restored';
import type { Database } from '@comanda/db';
import { livingElsewhere } from './elsewhere.ts';
import { readCells } from './file.ts';

/**
 * `comanda restored --cells`: the same as without the option, but it does nothing while a location is here that moved to another cell
 * after the backup.
 */
export const restoredBesideCells: Work = {
  ...restored,
  async run(context, options) {
    if (options.cells !== undefined) await refuseStrays(context.database, options.cells);
    return restored.run(context, options);
  },
};

/** Throws CommandError where a location is here again that lives in another cell by now. */
async function refuseStrays(database: Database, cells: string): Promise<void> {
  const strays = await livingElsewhere(database, await readCells(cells));
  if (strays.length === 0) return;
  const found = strays.map(({ id, cell }) => `${id} lives in cell ${cell}`).join(', ');
  throw new CommandError(
    'conflict',
    `${found}, and is active here again, as before its move: disable and delete it here before a worker sends, then run this again (docs/backup.md)`,
  );
}
