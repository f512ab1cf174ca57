import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs `use` with the module of one of our TypeScript files, bundled for it alone.
 * @template T
 * @param {string} entry from the root, like `scripts/docs/main.ts`
 * @param {(module: any) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withSource(entry, use) {
  const { build } = await import('esbuild');
  // The folder of the other bundles, so that the packages it imports are found.
  const outfile = join(root, 'dist', `.${basename(dirname(entry))}-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    plugins: [{ name: 'own-packages', setup: keepOthersOutside }],
  });
  try {
    return await use(await import(pathToFileURL(outfile).href));
  } finally {
    rmSync(outfile, { force: true });
  }
}

/**
 * Our own packages are TypeScript and go into the bundle; what comes from the registry stays outside.
 * @param {import('esbuild').PluginBuild} build
 */
function keepOthersOutside(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
    path.startsWith('@comanda/') ? undefined : { path, external: true },
  );
}
