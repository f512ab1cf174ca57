// node scripts/build-client.mjs [folder]: builds packages/client as it is published, into packages/client/dist
// unless said: index.js, one flat index.d.ts, package.json, README.md. `npm start` needs none of it.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'packages/client');

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  const folder = resolve(process.argv[2] ?? join(source, 'dist'));
  mkdirSync(folder, { recursive: true });
  const manifest = publishedManifest(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')));
  await bundle(Object.keys(manifest.peerDependencies), join(folder, 'index.js'));
  writeFileSync(join(folder, 'index.d.ts'), await declarations());
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  for (const file of manifest.files) console.log(join(folder, file));
  return 0;
});

/** What the package says of itself outside of the workspace, where there is no TypeScript source. */
function publishedManifest({
  name,
  version,
  description,
  license,
  type,
  sideEffects,
  engines,
  peerDependencies,
}) {
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    engines,
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['index.js', 'index.d.ts', 'README.md'],
    peerDependencies,
  };
}

async function bundle(peers, outfile) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['packages/client/src/index.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: peers,
    logLevel: 'warning',
  });
}

/** The text of index.d.ts, from the schemas of the router. */
async function declarations() {
  const { build } = await import('esbuild');
  // Beside the bundles, from where the packages it imports are found.
  const outfile = join(root, 'dist', `.client-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/client/flat.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    plugins: [{ name: 'own-packages', setup: keepOthersOutside }],
  });
  try {
    const { flatDeclarations } = await import(pathToFileURL(outfile).href);
    return flatDeclarations(root);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** @param {import('esbuild').PluginBuild} build */
function keepOthersOutside(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
    path.startsWith('@comanda/') ? undefined : { path, external: true },
  );
}
