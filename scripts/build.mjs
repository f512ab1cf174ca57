// Bundles our own TypeScript into dist/, one file an entrance; what comes from the registry stays outside.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What is built, by who needs it: dist/<name>.js from its first file. */
export const GROUPS = {
  service: {
    api: 'packages/api/src/main.ts',
    worker: 'packages/worker/src/main.ts',
    comanda: 'packages/api/src/cli/main.ts',
    start: 'scripts/supervisor/main.ts',
    seed: 'prisma/seed.ts',
  },
  demo: { demo: 'scripts/demo/main.ts' },
  soak: { soak: 'scripts/soak/main.ts', 'soak-consumer': 'scripts/soak/consumer.ts' },
  bench: { bench: 'bench/main.ts', reference: 'bench/reference/main.ts', consumer: 'bench/consumer.ts' },
};

/**
 * Builds the bundles of a group. Each file replaces its predecessor in one step, so that a process that starts
 * meanwhile reads one or the other.
 * @param {keyof typeof GROUPS} group
 * @returns {Promise<string[]>} the files that went into them, from the root
 * @throws {Error} with esbuild's messages.
 */
export async function build(group) {
  const { build: bundle } = await import('esbuild');
  const { outputFiles, metafile } = await bundle(bundleOptions(group));
  writeBundles(outputFiles);
  return Object.keys(metafile.inputs);
}

/** What esbuild is told; what it makes stays in memory. */
export function bundleOptions(group) {
  return {
    absWorkingDir: root,
    entryPoints: GROUPS[group],
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    external: thirdParties(),
    logLevel: 'silent',
    write: false,
    metafile: true,
  };
}

/** Writes what esbuild made, and gives the names of the bundles that differ from what was there. */
export function writeBundles(outputFiles) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const changed = outputFiles.filter(
    ({ path, contents }) => !existsSync(path) || !readFileSync(path).equals(contents),
  );
  for (const { path, contents } of changed) {
    const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
  return changed.filter(({ path }) => path.endsWith('.js')).map(({ path }) => basename(path, '.js'));
}

/** Every dependency by name, those of all packages together; our own are bundled. */
function thirdParties() {
  const folders = ['.', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)];
  const names = folders
    .map((folder) => join(root, folder, 'package.json'))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    });
  return [...new Set(names)]
    .filter((name) => !name.startsWith('@comanda/'))
    .flatMap((name) => [name, `${name}/*`]);
}
