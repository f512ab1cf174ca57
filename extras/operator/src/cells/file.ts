import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { ApiError } from '@comanda/api/src/errors.ts';
import { parse } from '@comanda/cli/input';
import { type Database, openDatabase, readSettings, type Settings, SettingsError } from '@comanda/db';
import { databaseUrlOf } from '@comanda/embedded/database-url';
import { z } from 'zod';

/** A PostgreSQL with its processes, in which some locations live whole. */
export interface Cell {
  /** As proxies call it, too. */
  name: string;
  /** The address of its API, bypassing all routes: `http://10.0.1.5:3000`. */
  origin: string;
  /** Whether it gets keys that name no location, and all that has no key. */
  isDefault: boolean;
  /** Its databases and ENCRYPTION_KEY, as processes of the cell read them; all else by default. */
  settings: Settings;
}

const text = z.string().min(1).optional();
const secrets = {
  database_url: text,
  database_url_file: text,
  database_owner_url: text,
  database_owner_url_file: text,
  encryption_key: text,
  encryption_key_file: text,
};
const CellText = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/, 'must be small letters, digits, "_" and "-"'),
  origin: z
    .url({ protocol: /^https?$/, error: 'must be a URL like http://10.0.1.5:3000' })
    .transform((url) => new URL(url).origin),
  default: z.boolean().default(false),
  ...secrets,
});
const CellsFile = z.strictObject({
  cells: z
    .array(CellText)
    .refine((all) => all.filter((one) => one.default).length === 1, 'must have one cell with "default": true')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must have a name each'),
});

/**
 * Reads the operator's file of cells; a relative path in a `_file` is relative to it. Throws CommandError, whose
 * message names the fault and its cell and shows no secret.
 */
export async function readCells(path: string): Promise<Cell[]> {
  const refused = (fault: string) => new CommandError('invalid_request', `${path}: ${fault}`);
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refused(`cannot be read (${error.code})`);
  });
  let read: unknown;
  try {
    read = JSON.parse(content);
  } catch {
    throw refused('is not JSON');
  }
  try {
    const { cells } = parse(CellsFile, read);
    return cells.map((cell) => ({
      name: cell.name,
      origin: cell.origin,
      isDefault: cell.default,
      settings: settingsOf(cell, dirname(path)),
    }));
  } catch (error) {
    if (error instanceof ApiError || error instanceof SettingsError) throw refused(error.message);
    throw error;
  }
}

/** The cell of this name. Throws CommandError. */
export function cellNamed(cells: readonly Cell[], name: string): Cell {
  const found = cells.find((cell) => cell.name === name);
  if (found !== undefined) return found;
  const known = cells.map((cell) => cell.name).join(', ');
  throw new CommandError('invalid_request', `there is no cell ${name}; there are ${known}`);
}

/** Opens the database of a cell, past any pooler, for as long as `work` takes. Throws what that throws. */
export async function inCell<Result>(
  { settings }: Cell,
  role: 'service' | 'owner',
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const url = (await databaseUrlOf(settings, role)) ?? '';
  const database = openDatabase({ url, poolSize: 2, applicationName: 'comanda-cli', unnamed: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The cell's part of an environment, read as every process reads its own. Throws SettingsError. */
function settingsOf(cell: z.output<typeof CellText>, folder: string): Settings {
  const environment = Object.fromEntries(
    Object.keys(secrets).flatMap((name) => {
      const value = cell[name as keyof typeof secrets];
      if (value === undefined) return [];
      return [[name.toUpperCase(), name.endsWith('_file') ? resolve(folder, value) : value]];
    }),
  );
  try {
    const settings = readSettings(environment);
    if (settings.databaseUrl === undefined) throw new SettingsError('DATABASE_URL: must be set');
    return settings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(
      `cell ${cell.name}: ${error.message.replace(/\b(?:DATABASE|ENCRYPTION)_[A-Z_]+/g, (name) => name.toLowerCase())}`,
    );
  }
}
