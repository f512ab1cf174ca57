import * as exports from '@comanda/api/src/resources/locations/export.store.ts';
import * as imports from '@comanda/api/src/resources/locations/import.store.ts';
import * as removal from '@comanda/api/src/resources/locations/removal.store.ts';
import { LocationCreate, LocationUpdate } from '@comanda/api/src/resources/locations/schema.ts';
import * as status from '@comanda/api/src/resources/locations/status.store.ts';
import * as locations from '@comanda/api/src/resources/locations/store.ts';
import { keyFingerprint, parseEncryptionKeys, readEncryptionKeyFile, type Settings } from '@comanda/db';
import { note } from '@comanda/db/terminal';
import type { Work } from './command.ts';
import { parse } from './input.ts';
import { makeFolder, readerOf, readManifest, writeManifest } from './location-folder.ts';

/** `comanda locations create` */
export const createLocation: Work = {
  run: ({ database }, { name, timezone, currency, sandbox }) =>
    locations.createLocation(
      database,
      parse(LocationCreate, { name, timezone, currency, ...(sandbox && { sandbox: true }) }),
    ),
};

/** `comanda locations list` */
export const listLocations: Work = { run: ({ database }) => locations.listLocations(database) };

/** `comanda locations show` */
export const showLocation: Work = {
  run: ({ database }, _options, [id = '']) => status.showLocation(database, id),
};

/** `comanda locations update` */
export const updateLocation: Work = {
  run: ({ database }, options, [id]) =>
    status.changeLocation(database, parse(LocationUpdate, { id, ...options })),
};

/** `comanda locations disable` */
export const disableLocation: Work = {
  run: ({ database }, { reads }, [id = '']) =>
    status.setLocationStatus(database, id, reads === undefined ? 'disabled' : 'read_only'),
};

/** `comanda locations enable` */
export const enableLocation: Work = {
  run: ({ database }, _options, [id = '']) => status.setLocationStatus(database, id, 'active'),
};

/** `comanda locations export` */
export const exportLocation: Work = {
  async run({ database }, { to: folder = '' }, [id = '']) {
    await status.showLocation(database, id);
    const manifest = await exports.exportLocation(database, id, await makeFolder(folder), log);
    await writeManifest(folder, manifest);
    return { folder, ...manifest.location, status: manifest.status, ...sumOf(manifest.tables) };
  },
};

/** `comanda locations import` */
export const importLocation: Work = {
  as: 'owner',
  async run({ database, settings }, _options, [folder = '']) {
    const manifest = await readManifest(folder);
    const keyIds = encryptionKeyIds(settings);
    const { rows } = await imports.importLocation(database, manifest, readerOf(folder), { keyIds, log });
    return { ...manifest.location, status: 'disabled', rows };
  },
};

/** `comanda locations delete` */
export const deleteLocation: Work = {
  as: 'owner',
  async run({ database }, { confirm }, [id = '']) {
    const deleted = await removal.deleteLocation(database, id, { confirm, log });
    return { id, ...deleted };
  },
};

/** Says a line on standard error: standard output is for the result. */
export const log = (line: string): void => note(line);

const sumOf = (tables: readonly { rows: number; bytes: number }[]) => ({
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** The ids and fingerprints of the keys of ENCRYPTION_KEY. */
export function encryptionKeyIds({ encryptionKey, dataDir }: Settings): readonly string[] {
  const text = encryptionKey ?? readEncryptionKeyFile(dataDir);
  const keys = text === null ? [] : parseEncryptionKeys(text);
  return keys.flatMap(({ id, key }) => [id, keyFingerprint(key)]);
}
