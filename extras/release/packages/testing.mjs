import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from '../../../scripts/build.mjs';
import { withSource } from '../../../scripts/run-source.mjs';
import { bundleWhole, readJson, root, writeLicenses, writeManifest } from './tarball.mjs';

/** The part that a test sees; the rest runs in a process of its own. */
const sources = [
  'index',
  'fake',
  'fake-fetch',
  'location',
  'messages',
  'outcomes',
  'procedures',
  'received',
  'sign',
  'start',
  'stub',
  'test-event',
];

/**
 * Writes `@comanda/testing` as it is published: what tests import, and a whole service for the process that it starts.
 * @param {string} folder
 */
export async function publishTesting(folder) {
  const client = readJson('packages/client/package.json');
  writeManifest(folder, readJson('packages/testing/package.json'), {
    // It holds the service of this version.
    version: readJson('package.json').version,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    peerDependencies: { '@comanda/client': `^${client.version}`, ...client.peerDependencies },
    optionalDependencies: readJson('packages/embedded/package.json').optionalDependencies,
  });
  const programs = {
    main: groups.testing['testing-service'],
    'large-bodies': groups.service['large-bodies'],
  };
  const service = await bundleWhole(folder, { ...programs, stub: groups.testing['testing-stub'] }, 'service');
  // The API serves the files there; the documents are those of the service that one runs.
  mkdirSync(join(folder, 'dist/site'), { recursive: true });
  writeFileSync(join(folder, 'dist/site/index.html'), '<!doctype html><title>Comanda for tests</title>\n');
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: ['packages/testing/src/index.ts'],
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: Object.keys(client.peerDependencies).concat('@comanda/client', '@comanda/client/*'),
    logLevel: 'warning',
  });
  writeLicenses(folder, [...service, ...Object.keys(metafile.inputs)]);
  const texts = await withSource('scripts/client/flat.ts', async ({ emitDeclarations }) =>
    emitDeclarations(root, 'packages/testing/src', sources),
  );
  for (const [name, text] of texts)
    writeFileSync(join(folder, `${name}.d.ts`), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  copyFileSync(join(root, 'packages/testing/README.md'), join(folder, 'README.md'));
}
