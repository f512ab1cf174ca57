import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Served } from './served.ts';

const folder = join(repositoryRoot, 'dist/docs');

/** The downloads for integrators (`extras/integrator`): the file, and its media type. */
export const downloadTypes = {
  'comanda.mjs': 'text/javascript; charset=utf-8',
  'comanda.py': 'text/x-python; charset=utf-8',
  'Comanda.java': 'text/x-java; charset=utf-8',
  'Comanda.cs': 'text/x-csharp; charset=utf-8',
  // Not as application/x-httpd-php: a server in front could run it.
  'comanda.php': 'text/plain; charset=utf-8',
} as const;

/** Each that was built, as it is served, and next to it its SHA-256 as `sha256sum -c` reads it. */
export const downloads = (): [string, Served][] =>
  Object.entries(downloadTypes).flatMap(([name, type]) =>
    existsSync(join(folder, name)) ? download(name, type) : [],
  );

function download(name: string, type: string): [string, Served][] {
  // Read once: it may be built again while this runs, and the digest must fit.
  let bytes: Buffer | undefined;
  const read = () => {
    bytes ??= readFileSync(join(folder, name));
    return bytes;
  };
  const digest = () => `${createHash('sha256').update(read()).digest('hex')}  ${name}\n`;
  return [
    [`/docs/${name}`, { type, make: read }],
    [`/docs/${name}.sha256`, { type: 'text/plain; charset=utf-8', make: digest }],
  ];
}
