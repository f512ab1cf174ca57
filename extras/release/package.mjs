// npm run package [-- --out FOLDER]: a folder that runs with Node alone: bundles, migrations, documents, and of the packages
// that were installed just the files that the bundles can load.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { bundleOptions, groups } from '../../scripts/build.mjs';
import { buildInfo } from '../../scripts/build-info.mjs';
import { buildSite } from '../site/src/build.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The programs of production, of the groups that are built. */
const runs = ['api', 'large-bodies', 'worker', 'comanda'];

/** Packages beyond this size come with the files alone that the bundles can load. */
const wholeBytes = 512 * 1024;

/** Files of a package that no program loads. */
const neverRuns = /\.([cm]?ts|map|md|tsbuildinfo)$|\/(tests?|__tests__)\//;

await runScript(async () => {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  await withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: ['service', 'commands', 'integrator', 'app'] });
    await buildSite({ signal });
  });
  const { version } = readJson(join(root, 'package.json'));
  const out = resolve(values.out ?? join(root, 'dist', `comanda-${version}`));
  await makePackage(out, version);
  console.log(`${out}: ${(sizeOf(out) / 1024 ** 2).toFixed(1)} MB`);
  console.log('cd there, then: node dist/comanda.js migrate, node dist/api.js, node dist/worker.js');
  return 0;
});

async function makePackage(out, version) {
  if (existsSync(out) && !existsSync(join(out, '.comanda-package')))
    throw new Error(`--out: ${out} exists and is not one of our packages; choose another folder`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, '.comanda-package'), `${version}\n`);
  for (const file of await traceFiles()) copy(file, out);
  for (const file of bundles()) copy(file, out);
  for (const path of [
    buildInfo,
    'prisma/migrations',
    'prisma/sql',
    'prisma/invariants',
    'dist/docs',
    'dist/site',
    'dist/app',
    'LICENSE',
    'CHANGELOG.md',
  ])
    copy(path, out);
  // Nothing that could be installed: what is needed is there.
  const { name, description, license, type, engines } = readJson(join(root, 'package.json'));
  const { commit = 'unknown' } = readJson(join(root, buildInfo));
  const manifest = { name, version, commit, private: true, description, license, type, engines };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * The files of the packages that the built bundles import, as esbuild resolves them: of small packages all that may run, so
 * that the entrance that Node chooses does not matter; of large ones the reachable files, with manifest and license.
 */
async function traceFiles() {
  const { build } = await import('esbuild');
  const imported = new Set();
  for (const group of ['service', 'commands']) {
    const entryPoints = Object.fromEntries(
      Object.entries(groups[group]).filter(([name]) => runs.includes(name)),
    );
    const { metafile } = await build({ ...bundleOptions(group), entryPoints });
    for (const { imports } of Object.values(metafile.outputs))
      for (const { path, external } of imports) if (external && !isBuiltin(path)) imported.add(path);
  }
  // What Node loads from there: it leaves no import of a package out, as esbuild does with what a bundle of ours does not use.
  const { metafile } = await build({
    stdin: {
      contents: [...imported].map((path, at) => `export * as p${at} from '${path}';`).join('\n'),
      resolveDir: root,
    },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    metafile: true,
    write: false,
    // graphile-worker's cosmiconfig loads TypeScript for a configuration in TypeScript; what runs has neither.
    external: ['typescript'],
    // As Node 20.19 and later enter a package.
    conditions: ['module-sync'],
  });
  const reached = new Set(
    Object.keys(metafile.inputs)
      .filter((file) => file.startsWith('node_modules/'))
      .map((file) => file.split('?')[0]),
  );
  const files = new Set(reached);
  for (const folder of new Set([...reached].map(folderOf))) {
    const own = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
      .filter((file) => folderOf(file) === folder && !neverRuns.test(file));
    const isSmall = own.reduce((sum, file) => sum + statSync(join(root, file)).size, 0) <= wholeBytes;
    for (const file of own)
      if (isSmall || /^(package\.json|(licen[cs]e|notice|copying).*)$/i.test(relative(folder, file)))
        files.add(file);
  }
  return [...files].sort();
}

/** The folder of the package that a file belongs to. */
function folderOf(file) {
  const parts = file.split('/');
  const at = parts.lastIndexOf('node_modules');
  return parts.slice(0, at + (parts[at + 1].startsWith('@') ? 3 : 2)).join('/');
}

function bundles() {
  return readdirSync(join(root, 'dist'))
    .filter((name) => runs.some((run) => name === `${run}.js` || name.startsWith(`${run}-`)))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join('dist', name));
}

function copy(path, out) {
  const from = join(root, path);
  if (!existsSync(from)) throw new Error(`${path} is missing`);
  const to = join(out, relative(root, from).split(sep).join('/'));
  cpSync(realpathSync(from), to, { recursive: true, dereference: true });
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
