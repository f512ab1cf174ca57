import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Served } from './served.ts';

/** What integrators download, and beside each file its SHA-256 as `sha256sum -c` reads it. */
export const downloads: readonly [string, Served][] = [
  ...download('dist/docs/comanda.mjs', 'text/javascript; charset=utf-8'),
  ...download('packages/integrator/python/comanda.py', 'text/x-python; charset=utf-8'),
];

function download(file: string, type: string): [string, Served][] {
  const name = basename(file);
  // Read once: it may be built anew while this runs, and the digest must fit.
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
