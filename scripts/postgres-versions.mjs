// PostgreSQL 15, 16 and 17 for tests, in addition to 18, which npm install brings: in tests/postgres-versions by a
// lockfile of their own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart, runApart } from './apart.mjs';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'tests/postgres-versions');

export const versions = ['15', '16', '17', '18'];

/** Installs them, unless they are there. @param {AbortSignal} [signal] */
export const installVersions = (signal) => installApart(folder, 'PostgreSQL 15, 16 and 17 (50 MB)', signal);

/**
 * Makes the embedded server run a version's programs; its one install script, which links its libraries, runs here by
 * name.
 * @param {string} version @param {AbortSignal} [signal] @returns {Promise<Record<string, string>>} for the environment
 */
export async function environmentOf(version, signal) {
  if (version === '18') return {};
  const platform = join(folder, `node_modules/postgres-${version}-${process.platform}-${process.arch}`);
  await runApart(platform, process.execPath, ['scripts/hydrate-symlinks.js'], signal);
  return { COMANDA_TEST_POSTGRES: join(platform, 'dist/index.js') };
}
