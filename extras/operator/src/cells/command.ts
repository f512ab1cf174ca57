import { open, readFile, rename } from 'node:fs/promises';
import type { Work } from '@comanda/cli/command';
import { parse } from '@comanda/cli/input';
import { rows, table } from '@comanda/cli/rows';
import { z } from 'zod';
import { readCells } from './file.ts';
import { type CellState, lookAt } from './look.ts';
import { mapCells, mapForms } from './map.ts';

const forms = Object.keys(mapForms) as [keyof typeof mapForms];
const Input = z.object({
  cells: z.string(),
  for: z.enum(forms, { error: `must be one of ${forms.join(', ')}` }),
  output: z.string().optional(),
});

/** `comanda cells map` */
export const cellsMap: Work = {
  async runAlone(_environment, options) {
    const { cells: file, for: form, output } = parse(Input, options);
    const map = await mapCells(await readCells(file));
    const text = mapForms[form](map);
    if (output === undefined) return { map: text };
    return { output, locations: map.size, changed: await replaceFile(output, text) };
  },
  show: (value) => (isMap(value) ? value.map.trimEnd().split('\n') : table(value)),
};

const isMap = (value: unknown): value is { map: string } => Object.hasOwn(value as object, 'map');

/** `comanda cells check` */
export const cellsCheck: Work = {
  async runAlone(_environment, { cells = '' }) {
    return Promise.all((await readCells(cells)).map(lookAt));
  },
  show: (value) =>
    rows(value as CellState[], {
      cell: ({ name, default: isDefault }) => (isDefault ? `${name} (default)` : name),
      origin: ({ origin }) => origin,
      database: ({ database }) => database,
      api: ({ api }) => api,
      locations: ({ locations }) => (locations === null ? '-' : String(locations)),
      left: ({ left }) => (left === null ? '-' : String(left)),
    }),
  isFailure: (value) =>
    (value as CellState[]).some(({ database, api }) => database !== 'ok' || api !== 'ready'),
};

/**
 * Replaces a file with a text atomically, so that no reader sees half of it; returns whether its content was another.
 */
export async function replaceFile(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before === text) return false;
  const part = `${path}.${process.pid}.part`;
  const file = await open(part, 'w', 0o644);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(part, path);
  return true;
}
