import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository, found from a source file as from a bundle in `dist/`. */
export const repositoryRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('pnpm-workspace.yaml stands in no folder above this file');
  return findRoot(parent);
}
