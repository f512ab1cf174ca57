import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Served } from './served.ts';

/** The downloads for integrators: the file, and its media type. */
export const downloadedFiles = [
  { file: 'dist/docs/comanda.mjs', type: 'text/javascript; charset=utf-8' },
  { file: 'packages/integrator/python/comanda.py', type: 'text/x-python; charset=utf-8' },
  { file: 'packages/integrator/java/Comanda.java', type: 'text/x-java; charset=utf-8' },
  { file: 'packages/integrator/csharp/Comanda.cs', type: 'text/x-csharp; charset=utf-8' },
  // Not as application/x-httpd-php: a server in front could run it.
  { file: 'packages/integrator/php/comanda.php', type: 'text/plain; charset=utf-8' },
] as const;

/** Each of them as it is served, and next to it its SHA-256 as `sha256sum -c` reads it. */
export const downloads: readonly [string, Served][] = downloadedFiles.flatMap(({ file, type }) =>
  download(file, type),
);

function download(file: string, type: string): [string, Served][] {
  const name = basename(file);
  // Read once: it may be built again while this runs, and the digest must fit.
  let bytes: Buffer | undefined;
  const read = () => {
    bytes ??= readFileSync(join(repositoryRoot, file));
    return bytes;
  };
  const digest = () => `${createHash('sha256').update(read()).digest('hex')}  ${name}\n`;
  return [
    [`/docs/${name}`, { type, make: read }],
    [`/docs/${name}.sha256`, { type: 'text/plain; charset=utf-8', make: digest }],
  ];
}
