import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';

let tree: string;

// Its own packages are links to its own folders, so that nothing of extras/ is found.
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'comanda-without-extras-'));
  mkdirSync(join(tree, 'node_modules'));
  for (const name of ['node_modules/@comanda', 'packages', 'prisma', 'scripts', 'package.json'])
    cpSync(join(repositoryRoot, name), join(tree, name), { recursive: true, verbatimSymlinks: true });
  for (const name of readdirSync(join(repositoryRoot, 'node_modules')))
    if (name !== '@comanda')
      symlinkSync(join(repositoryRoot, 'node_modules', name), join(tree, 'node_modules', name));
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

const node = (...words: string[]) => promisify(execFile)(process.execPath, words, { cwd: tree });

it('what npm start and npm run comanda run is built of a tree without extras', async () => {
  const script = `
    const { build, extraGroups } = await import('./scripts/build.mjs');
    for (const group of ['service', 'app', 'commands']) await build(group);
    console.log(extraGroups.length);`;
  expect((await node('--input-type=module', '-e', script)).stdout).toBe('0\n');
  const { stdout } = await node('dist/comanda.js', '--help');
  expect(stdout).toContain('keys create');
  expect(stdout).not.toContain('cells');
});
