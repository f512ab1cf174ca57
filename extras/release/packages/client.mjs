import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withSource } from '../../../scripts/run-source.mjs';
import { readJson, root, writeLicenses, writeManifest } from './tarball.mjs';

/** The entries by what is imported behind `@comanda/client`, with their files. */
const entries = {
  '.': 'index',
  './front': 'front',
  './front/node': 'front-node',
  './live': 'live',
  './react': 'react',
  './shared': 'shared',
  './trpc': 'trpc',
  './webhooks': 'webhooks',
};
const source = join(root, 'packages/client/src');
const texts = ['README.md', 'CHANGELOG.md'];

/**
 * Writes the client as it is published: its bundles with their declarations, and its texts. The files that it has.
 * @param {string} folder
 */
export async function publishClient(folder) {
  const manifest = readJson('packages/client/package.json');
  const names = Object.values(entries);
  const files = [
    ...names.flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
    'shapes.d.ts',
    'LICENSE',
    ...texts,
  ];
  const entry = (name) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  mkdirSync(folder, { recursive: true });
  writeManifest(folder, manifest, {
    main: './index.js',
    types: './index.d.ts',
    exports: {
      ...Object.fromEntries(Object.entries(entries).map(([path, name]) => [path, entry(name)])),
      './package.json': './package.json',
    },
    files,
  });
  writeLicenses(folder, await bundle(Object.keys(manifest.peerDependencies), folder));
  const declarations = await withSource('scripts/client/flat.ts', async ({ flatDeclarations }) =>
    flatDeclarations(root),
  );
  for (const [name, text] of Object.entries(declarations)) writeFileSync(join(folder, name), text);
  for (const name of texts) copyFileSync(join(root, 'packages/client', name), join(folder, name));
  return files;
}

async function bundle(peers, folder) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: Object.values(entries).map((name) => `packages/client/src/${name}.ts`),
    outdir: folder,
    bundle: true,
    // For Node, browsers and edge runtimes alike: an import of Node's own does not build.
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    external: peers.flatMap((peer) => [peer, `${peer}/*`]),
    plugins: [entriesApart],
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

// An entry takes what another one holds from that: an application has one copy of it.
const entriesApart = {
  name: 'entries apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/\w+\.ts$/ }, ({ path, resolveDir }) => {
      const name = basename(path, '.ts');
      const isEntry =
        Object.values(entries).includes(name) && join(resolveDir, path) === join(source, `${name}.ts`);
      return isEntry ? { path: `./${name}.js`, external: true } : undefined;
    });
  },
};
