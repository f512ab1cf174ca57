// Bundles our own TypeScript into dist/, one file an entrance; what comes from the registry stays outside.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Bundles by name: dist/<name>.js. */
const ENTRIES = {
  api: 'packages/api/src/main.ts',
  worker: 'packages/worker/src/main.ts',
  comanda: 'packages/api/src/cli/main.ts',
  start: 'scripts/supervisor/main.ts',
  seed: 'prisma/seed.ts',
  demo: 'scripts/demo/main.ts',
  soak: 'scripts/soak/main.ts',
  'soak-consumer': 'scripts/soak/consumer.ts',
  bench: 'bench/main.ts',
  reference: 'bench/reference/main.ts',
  consumer: 'bench/consumer.ts',
};

/**
 * Builds every entrance that exists. Each file replaces its predecessor in one step, so that a process that
 * starts meanwhile reads one or the other.
 * @param {{ verbose?: boolean }} [options]
 * @throws {Error} with esbuild's messages.
 */
export async function build({ verbose = false } = {}) {
  const { build: bundle } = await import('esbuild');
  const found = Object.entries(ENTRIES).filter(([, path]) => existsSync(join(root, path)));
  if (verbose) {
    for (const [name, path] of Object.entries(ENTRIES)) {
      console.log(
        existsSync(join(root, path)) ? `dist/${name}.js  ${path}` : `left out: ${path} does not exist`,
      );
    }
  }
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(found),
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    external: thirdParties(),
    logLevel: 'silent',
    write: false,
  });
  mkdirSync(join(root, 'dist'), { recursive: true });
  for (const { path, contents } of outputFiles) {
    const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
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

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { bootstrap, runScript, withSignals } = await import('./bootstrap.mjs');
  await runScript(async () => {
    await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: false }));
    await build({ verbose: true });
    return 0;
  });
}
