import { CommandError } from '@comanda/api/src/command-error.ts';
import { exportChanges } from '@comanda/api/src/resources/locations/changes.store.ts';
import { applyChanges } from '@comanda/api/src/resources/locations/copy.store.ts';
import { comeToRest, exportLocation } from '@comanda/api/src/resources/locations/export.store.ts';
import type { MoveRow, MoveStep } from '@comanda/api/src/resources/locations/move.statements.ts';
import * as moves from '@comanda/api/src/resources/locations/move.store.ts';
import type { Options } from '@comanda/cli/command';
import {
  changesIn,
  emptyFolder,
  makeFolder,
  readerOf,
  readManifest,
  writeManifest,
} from '@comanda/cli/location-folder';
import { log } from '@comanda/cli/locations';
import type { Database, Settings } from '@comanda/db';
import type { Cell } from './file.ts';
import { load } from './leading.ts';
import { mapCells, mapForms } from './map.ts';

/** The context of a step. */
export interface Moving {
  id: string;
  code: string;
  source: Database;
  target: moves.Destination;
  row: MoveRow;
  settings: Settings;
  options: Options;
  cells: readonly Cell[];
  form: keyof typeof mapForms;
}

/** A step of a move. It may be cut off at any moment, and is then done again from its beginning. */
interface Step {
  name: MoveStep;
  next: MoveStep;
  does: string;
  /** `false` when it has to wait for a person. */
  run(moving: Moving): Promise<{ exportedAt?: string } | false>;
}

/** The steps in their order. Until `follow` is done the location is active; then writes are refused. */
export const steps: readonly Step[] = [
  {
    name: 'copy',
    next: 'load',
    does: 'writes all of it to the folder; the location is active',
    async run({ source, id, row: { folder } }) {
      await emptyFolder(folder);
      const manifest = await exportLocation(source, id, await makeFolder(folder), log);
      await writeManifest(folder, manifest);
      return { exportedAt: manifest.exported_at };
    },
  },
  {
    name: 'load',
    next: 'follow',
    does: 'brings it into the other cell; the location is active',
    async run({ target, row: { folder } }) {
      const manifest = await readManifest(folder);
      await moves.receiveLocation(target, manifest, readerOf(folder), log);
      return {};
    },
  },
  {
    name: 'follow',
    next: 'drain',
    does: 'brings what was written meanwhile; the location is active',
    async run(moving) {
      await exportLacking(moving, false);
      await importLacking(moving);
      return {};
    },
  },
  {
    name: 'drain',
    next: 'export',
    does: 'lets calls under way finish',
    async run({ source, id }) {
      await comeToRest(source, id, log);
      return {};
    },
  },
  {
    name: 'export',
    next: 'import',
    does: 'writes what the copy lacks to the folder',
    async run(moving) {
      await exportLacking(moving, true);
      return {};
    },
  },
  {
    name: 'import',
    next: 'map',
    does: 'brings that into the other cell',
    async run(moving) {
      await importLacking(moving);
      return {};
    },
  },
  {
    name: 'map',
    next: 'enable',
    does: 'leads callers to the other cell',
    run: leadCallers,
  },
  {
    name: 'enable',
    next: 'done',
    does: 'takes it up there',
    async run({ target, id }) {
      await moves.enableCopy(target, id);
      return {};
    },
  },
];

async function exportLacking({ source, target, id, row }: Moving, isFinal: boolean): Promise<void> {
  const folder = changesIn(row.folder);
  await emptyFolder(folder);
  const copy = { database: target.database, exportedAt: exportOf(row) };
  const write = await makeFolder(folder);
  await writeManifest(folder, await exportChanges(source, copy, id, { write, isFinal }));
}

async function importLacking({ target, row }: Moving): Promise<void> {
  const folder = changesIn(row.folder);
  const manifest = await readManifest(folder);
  await applyChanges(target.database, manifest, readerOf(folder), { keyIds: target.keyIds, log });
}

/** The step between the cells: the copy answers reads, callers are led to it, and this cell gives the location up. */
async function leadCallers({
  id,
  code,
  source,
  target,
  row,
  options,
  cells,
  form,
}: Moving): Promise<object | false> {
  const exportedAt = exportOf(row);
  const changed = await moves.leftBehind(source, target, id, exportedAt);
  if (changed !== undefined && options.continue === undefined)
    throw new CommandError(
      'conflict',
      `${changed}: take the move back (--abort) and begin again, or go on with --continue and do it again there`,
    );
  const wasOpen = await moves.isCopyOpen(target, id, exportedAt);
  // Anything that cannot be queried is found while the move can still be taken back.
  const map = await mapCells(cells, { code, to: target.cell });
  await moves.openCopyForReads(target, id);
  await load(options.map, mapForms[form](map), options.reload);
  // A proxy that was not reloaded cannot have loaded the map.
  if (options.reload === undefined) return wasOpen && options.continue !== undefined ? {} : false;
  return {};
}

/** When the first export of a move was made. Throws CommandError for a move without one. */
export function exportOf({ exportedAt }: MoveRow): string {
  if (exportedAt === null)
    throw new CommandError('conflict', 'the move has no export: take it back by --abort, and begin again');
  return exportedAt;
}
