import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiTables } from '../../packages/api/src/documents/tables.ts';

/** Writes what is generated under `docs/`, below `root`; answers the names of the files. */
export function main(root: string): string[] {
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(join(root, 'docs/api.md'), apiTables());
  return ['docs/api.md'];
}
