import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const file = join(root, 'tests/durations.json');

/** How long files of tests take, in seconds, by their paths from the root. */
export const readDurations = (): Readonly<Record<string, number>> =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

/** Keeps what was measured of files, whose paths are whole, and forgets those that are gone. A run with COMANDA_DURATIONS=yes does. */
export function keepDurations(measured: readonly (readonly [string, number])[]): void {
  const named = measured.map(([path, seconds]) => [relative(root, path), Math.ceil(seconds)] as const);
  const all = Object.entries({ ...readDurations(), ...Object.fromEntries(named) });
  const left = all
    .filter(([path]) => existsSync(join(root, path)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
}
