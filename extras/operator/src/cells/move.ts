import { join, resolve } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import {
  keysWithoutCode,
  type MoveRow,
  type MoveStep,
} from '@comanda/api/src/resources/locations/move.statements.ts';
import * as moves from '@comanda/api/src/resources/locations/move.store.ts';
import { showLocation } from '@comanda/api/src/resources/locations/status.store.ts';
import type { Work } from '@comanda/cli/command';
import { parse } from '@comanda/cli/input';
import { makeFolder } from '@comanda/cli/location-folder';
import { encryptionKeyIds, log } from '@comanda/cli/locations';
import { shellWord } from '@comanda/cli/shell-word';
import { z } from 'zod';
import { type Cell, cellNamed, inCell, readCells } from './file.ts';
import { load } from './leading.ts';
import { mapCells, mapForms } from './map.ts';
import { exportOf, type Moving, steps } from './steps.ts';

const forms = Object.keys(mapForms) as [keyof typeof mapForms];
const Input = z.object({
  form: z.enum(forms, { error: `must be one of ${forms.join(', ')}` }).default('haproxy'),
});

/** The result of `comanda locations move`. */
interface Moved {
  id: string;
  name: string;
  cell: string;
  /** `done`, or what comes next. */
  step: MoveStep;
  /** The export, which the operator removes. */
  folder: string;
  /** How long each step took; `refused`: for how long no write was accepted anywhere. */
  seconds: Record<string, number>;
  /** The next step for a person. */
  next: string;
}

/** `comanda locations move` */
export const moveLocation: Work = {
  async run({ database: source, settings }, options, [id = '']): Promise<Moved> {
    const { form } = parse(Input, { form: options.for });
    const cells = await readCells(options.cells ?? '');
    const { name, code } = await showLocation(source, id);
    return moves.movingAlone(source, id, async () => {
      const begun = await moves.findMove(source, id);
      const cell = destinationOf(cells, begun, options.to);
      return inCell(cell, 'owner', async (database) => {
        // A cell of which the file has no key shares that of this one.
        const keyIds = encryptionKeyIds(cell.settings.encryptionKey === undefined ? settings : cell.settings);
        const target = { cell: cell.name, database, keyIds };
        const moving = { id, code, source, target, settings, options, cells, form };
        if (options.abort !== undefined) return abort(moving, begun, name);
        if (options.continue !== undefined && !waitedFor.has(begun?.step))
          throw new CommandError('validation_error', '--continue is for a move that waits at the map');
        if (begun?.step === 'abort')
          throw new CommandError('conflict', 'the move is being taken back: go on with --abort');
        return moves.arrivingAlone(target, async () => {
          if (begun === undefined) await begin(moving);
          return goOn(moving, name);
        });
      });
    });
  },
  show: (value) => {
    const { name, cell, seconds, next } = value as Moved;
    const names = [...steps.map((step) => step.name), 'refused'];
    const took = names.flatMap((step) =>
      seconds[step] === undefined ? [] : [[step, seconds[step]] as const],
    );
    const lines = took.map(([step, each]) => `${step.padEnd(8)}${each.toFixed(1).padStart(8)} s`);
    return [`${name} to cell ${cell}`, ...lines, next];
  },
  isFailure: (value) => !['done', 'abort'].includes((value as Moved).step),
};

/** The cell that `--to` names, or that the move goes to already. */
function destinationOf(cells: readonly Cell[], begun: MoveRow | undefined, to: string | undefined): Cell {
  const cell = to ?? begun?.cell;
  if (cell === undefined) throw new CommandError('validation_error', '--to is required');
  if (begun !== undefined && begun.cell !== cell)
    throw new CommandError('conflict', `the location is on its way to ${begun.cell}, or went there`);
  return cellNamed(cells, cell);
}

/** Where `--continue` says something: the map was written, or was by an earlier try. */
const waitedFor: ReadonlySet<MoveStep | undefined> = new Set(['map', 'enable', 'done']);

async function begin({ id, source, target, settings, options, cells }: Omit<Moving, 'row'>): Promise<void> {
  // While writes are refused is no time to find out that the map cannot be made.
  await mapCells(cells);
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = resolve(options.folder ?? join(settings.dataDir, 'moves', `${id}-${stamp}`));
  if (options.folder !== undefined) await makeFolder(folder);
  const [old] = await source.run(keysWithoutCode, [id]);
  if (old !== undefined && old.count > 0)
    log(`${old.count} keys carry no code of a location, and are led to the default cell: rotate them`);
  await moves.beginMove(source, target, id, folder);
}

async function goOn(moving: Omit<Moving, 'row'>, name: string): Promise<Moved> {
  const { id, source, target } = moving;
  for (;;) {
    const row = await moves.findMove(source, id);
    if (row === undefined) throw new CommandError('conflict', 'the move was taken back');
    const step = steps.find((each) => each.name === row.step);
    const moved = { id, name, cell: target.cell, step: row.step, folder: row.folder, seconds: row.seconds };
    if (step === undefined) return { ...moved, next: afterwards(id, name, row) };
    log(`${step.name}: ${step.does}`);
    const began = performance.now();
    const done = await step.run({ ...moving, row });
    if (done === false) return { ...moved, next: whatToRun(target.cell) };
    const seconds = { [step.name]: secondsSince(began) };
    if (step.name === 'follow') {
      await moves.refuseWrites(source, target, id, seconds);
      log('disable: done, reads go on');
    } else if (step.name === 'map') {
      const changed = await moves.leaveLocation(source, target, moving, {
        exportedAt: exportOf(row),
        seconds,
      });
      if (changed !== undefined) log(`${changed}: do it again in cell ${target.cell}`);
    } else {
      const all =
        step.name === 'enable' ? { ...seconds, refused: round(row.refused + secondsSince(began)) } : seconds;
      await moves.advanceMove(source, id, [step.name, step.next], { ...done, seconds: all });
    }
    log(`${step.name}: done after ${secondsSince(began)} s`);
  }
}

async function abort(moving: Omit<Moving, 'row'>, row: MoveRow | undefined, name: string): Promise<Moved> {
  const { id, code, source, target, options, cells, form } = moving;
  if (row === undefined) throw new CommandError('conflict', 'the location is on its way nowhere');
  const { folder, seconds } = row;
  const moved = { id, name, cell: target.cell, folder, seconds };
  const isOpen = row.step === 'map' && (await moves.isCopyOpen(target, id, row.exportedAt));
  if (isOpen && options.map !== undefined && options.continue === undefined) {
    const map = await mapCells(cells, { code, awayFrom: target.cell });
    await load(options.map, mapForms[form](map), options.reload);
    if (options.reload === undefined) return { ...moved, step: 'map', next: whatToLoad };
  }
  const isLoaded = options.map !== undefined && options.reload !== undefined;
  const isLedBack = isOpen && (isLoaded || options.continue !== undefined);
  await moves.abortMove(source, target, id, row, { log, isLedBack });
  const next = `It is active here, as before. ${folder} may hold a copy of it: remove it.`;
  return { ...moved, step: 'abort', next };
}

const whatToLoad =
  'Load the map into the proxies now, so that they lead its keys to this cell again; then say --abort --continue.';

const whatToRun = (cell: string): string =>
  `Writes are refused, reads answered in both cells. Load the map into the proxies now, so that they lead its keys to cell ${cell}; then run the same command with --continue.`;

const afterwards = (id: string, name: string, { folder, cell }: MoveRow): string =>
  `It is in cell ${cell}. Remove what is left here with: comanda locations delete ${id} --confirm ${shellWord(name)}. ${folder} holds a copy of it: remove it.`;

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
const secondsSince = (began: number): number => round((performance.now() - began) / 1_000);
