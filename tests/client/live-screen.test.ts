import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { buildInto, compile, install, makeFolder } from './outside.ts';

// The screen of the guide is what an application would hold: it compiles as it is shown, on the built client.

const screen = join(repositoryRoot, 'examples/live-screen/screen.tsx');
const built = makeFolder();
const outside = makeFolder();
beforeAll(async () => {
  await buildInto(built);
  await install(built, outside);
  for (const name of ['react', 'react-dom', '@types/react', '@types/react-dom', 'csstype']) {
    const target = join(outside, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules', name), target);
  }
  copyFileSync(screen, join(outside, 'screen.tsx'));
}, 120_000);
afterAll(() => {
  for (const folder of [built, outside]) rmSync(folder, { recursive: true, force: true });
});

it('compiles as strictly as can be, in at most 40 lines', { timeout: 60_000 }, async () => {
  const options = {
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    // Not ours: those of React.
    skipLibCheck: true,
    noPropertyAccessFromIndexSignature: true,
  };
  expect(await compile(outside, ['screen.tsx'], options)).toEqual([]);
  expect(readFileSync(screen, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});
