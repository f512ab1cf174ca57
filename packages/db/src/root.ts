import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository, or of a package made of it; found from a source file as from a bundle in `dist/`. */
export const repositoryRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'prisma', 'migrations'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('prisma/migrations is in no folder above this file');
  return findRoot(parent);
}
