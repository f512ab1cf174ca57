// npm run docs: writes docs/api.md from the tables that the code runs on, and docs/events.md, with the examples of
// the v2 document, from events that a service on a database of its own really publishes.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  const { build } = await import('esbuild');
  // Where the other bundles stand, so that the packages it imports are found.
  const outfile = join(root, 'dist', `.docs-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/docs/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    plugins: [{ name: 'own-packages', setup: keepOthersOutside }],
  });
  try {
    const { main } = await import(pathToFileURL(outfile).href);
    for (const file of await withSignals(() => main(root))) console.log(`wrote ${file}`);
  } finally {
    rmSync(outfile, { force: true });
  }
  return 0;
});

/** @param {import('esbuild').PluginBuild} build */
function keepOthersOutside(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
    path.startsWith('@comanda/') ? undefined : { path, external: true },
  );
}
