import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../load.ts';
import { packInto } from '../outside.ts';
import { figureRow } from '../result.ts';
import type { Part } from './part.ts';

/** The waits of a test of an application, with `@comanda/testing` as it is published. */
export const testing: Part = {
  name: 'testing',
  summary: '@comanda/testing: starting a service, and a location of its own',
  async run({ setup, small }) {
    const folder = mkdtempSync(join(setup.directory, 'testing-'));
    await packInto(folder, ['client', 'testing']);
    writeFileSync(join(folder, 'waits.js'), waits(small ? 1 : 5, small ? 2 : 50));
    const { stdout } = await promisify(execFile)(process.execPath, ['waits.js'], { cwd: folder });
    const { first, starts, locations } = JSON.parse(stdout) as Waits;
    locations.sort((a, b) => a - b);
    return [
      figureRow(
        'testing',
        'startComanda() after the first time',
        { most: 1.5, unit: ' s' },
        median(starts) / 1_000,
        `${starts.map((ms) => (ms / 1_000).toFixed(2)).join(', ')} s; the first time, which prepares the database: ${(first / 1_000).toFixed(1)} s`,
      ),
      figureRow(
        'testing',
        'newLocation()',
        { most: 50, unit: ' ms' },
        median(locations),
        `${locations.length} of them, the slowest ${locations.at(-1)?.toFixed(0)} ms`,
      ),
    ];
  },
};

/** Milliseconds. */
interface Waits {
  first: number;
  starts: number[];
  locations: number[];
}

/** A program that starts the service once for the first time and `starts` times again, and makes `locations` locations. */
const waits = (starts: number, locations: number): string => `
import { startComanda } from '@comanda/testing';
const since = async (wait) => {
  const began = performance.now();
  const got = await wait();
  return [performance.now() - began, got];
};
const start = () => since(() => startComanda({ cacheDir: 'cache' }));
const seen = { starts: [], locations: [] };
const [first, prepared] = await start();
await prepared.stop();
for (let n = 0; n < ${starts}; n += 1) {
  const [took, comanda] = await start();
  seen.starts.push(took);
  // The first of a process loads what the others find.
  if (n === 0) for (let made = -1; made < ${locations}; made += 1) {
    const [took] = await since(() => comanda.newLocation());
    if (made >= 0) seen.locations.push(took);
  }
  await comanda.stop();
}
console.log(JSON.stringify({ first, ...seen }));
`;
