// Bundles our own TypeScript into dist/, one file an entrance; packages from the registry stay outside, except for
// `inside`.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderTemplates, templatesIn } from './templates.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The command line with the commands for few operators, in a tree that has them. */
const operator = 'extras/operator/src/program.ts';

/**
 * The bundles, by their users: dist/<name>.js from its first file; of `integrator` dist/docs/<name>.mjs, with the other downloads;
 * of `app` dist/app.
 */
export const groups = {
  service: {
    api: 'packages/api/src/main.ts',
    'large-bodies': 'packages/api/src/large/thread.ts',
    worker: 'packages/worker/src/main.ts',
    start: 'packages/supervisor/src/main.ts',
    seed: 'prisma/seed/main.ts',
  },
  commands: {
    comanda: existsSync(join(root, operator)) ? operator : 'packages/cli/src/program.ts',
  },
  integrator: { comanda: 'extras/integrator/src/main.ts' },
  app: { main: 'packages/app/src/main.tsx' },
  testing: {
    'testing-service': 'packages/testing/src/service/main.ts',
    'testing-stub': 'packages/testing/src/service/stub.ts',
  },
  demo: { demo: 'extras/demo/src/main.ts' },
  bench: {
    reference: 'extras/bench/src/reference/main.ts',
    consumer: 'extras/bench/src/consumer.ts',
    attacker: 'extras/bench/src/hostile/attacker.ts',
  },
};

/** The groups of `extras/` that belong to a running service, as far as this tree has them: a service runs without them. */
export const extraGroups = ['integrator'].filter((name) => existsSync(join(root, 'extras', name)));

/** Groups whose bundles load what they need when they need it, and what their parts are called: they start in a third of the time. */
const split = { commands: 'comanda', testing: 'testing' };

/**
 * Packages of the registry that a bundle contains nevertheless: of a package's hundred files a command loads the one
 * that is made of them.
 */
const inside = { commands: ['zod'] };

const appPage = 'packages/app/src/index.html';
const clients = 'extras/integrator/clients';

/** Files that go into the bundles of a group without esbuild's knowledge. */
const besides = {
  app: [appPage],
  integrator: [`${clients}/model.mjs`, 'scripts/templates.mjs'],
};

const listOf = (group) => join(root, `dist/inputs-${group}.json`);
const stampOf = (group) => join(root, `dist/stamp-${group}`);

/**
 * Whether the bundles of a group are those of today's sources. Their inputs are those that esbuild reported the last time:
 * another file comes in by one of these.
 * @param {keyof typeof groups} group
 */
export function isBuilt(group) {
  const [list, stamp] = [listOf(group), stampOf(group)];
  if (!existsSync(list) || !existsSync(stamp)) return false;
  return readFileSync(stamp, 'utf8') === hashStatus(JSON.parse(readFileSync(list, 'utf8')));
}

/**
 * Builds the bundles of a group. Each file replaces its predecessor in one step, so that a process that starts
 * meanwhile reads one or the other.
 * @param {keyof typeof groups} group
 * @throws {Error} with esbuild's messages.
 */
export async function build(group) {
  const { build: bundle } = await import('esbuild');
  const began = Date.now();
  rmSync(stampOf(group), { force: true });
  const result = await bundle(bundleOptions(group));
  writeGroup(group, result);
  const { metafile } = result;
  const all = Object.keys(metafile.inputs);
  const own = all.filter((file) => !file.startsWith('node_modules/'));
  // Packages of the registry change with the lockfile.
  const others = own.length === all.length ? [] : ['pnpm-lock.yaml'];
  const files = ['package.json', 'scripts/build.mjs', ...own, ...others, ...(besides[group] ?? [])];
  writeFileSync(listOf(group), JSON.stringify(files));
  // A file edited meanwhile may have been read before: then the next start builds again.
  if (files.every((file) => changedAt(file) < began)) writeFileSync(stampOf(group), hashStatus(files));
}

const changedAt = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function hashStatus(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs = 0, size = 0 } = statSync(join(root, file), { throwIfNoEntry: false }) ?? {};
    hash.update(`${file}\0${mtimeMs}\0${size}\0`);
  }
  return hash.digest('hex');
}

/**
 * Writes what esbuild made of a group, and removes what an earlier build had made.
 * @param {keyof typeof groups} group
 * @param {import('esbuild').BuildResult<{ write: false, metafile: true }>} result
 * @returns {string[]} the paths of the files that differ from what was there
 */
export function writeGroup(group, { outputFiles, metafile }) {
  const changed = writeFiles(outputFiles);
  if (group in split) removeChunks(split[group], outputFiles);
  return group === 'app' ? [...changed, ...finishApp(outputFiles, metafile)] : changed;
}

/** The options of esbuild; its output stays in memory. */
export function bundleOptions(group) {
  return {
    absWorkingDir: root,
    entryPoints: groups[group],
    outdir: 'dist',
    splitting: group in split,
    chunkNames: `${split[group]}-[hash]`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    external: thirdParties().filter(
      (name) => !inside[group]?.some((each) => name === each || name === `${each}/*`),
    ),
    logLevel: 'silent',
    write: false,
    metafile: true,
    ...(group === 'integrator' && download()),
    ...(group === 'app' && forBrowsers()),
  };
}

/**
 * What integrators download, in dist/docs: comanda.mjs, which needs nothing but Node and has a head that describes it, and
 * the clients of one file, made from their templates.
 */
function download() {
  const folder = join(root, clients);
  const { version, license } = JSON.parse(readFileSync(join(root, 'extras/integrator/package.json'), 'utf8'));
  const head = [
    '#!/usr/bin/env node',
    `// comanda.mjs ${version}: webhooks, events and files of a Comanda, from the command line. node comanda.mjs --help`,
    `// SPDX-License-Identifier: ${license}. Needs Node 20.19 or newer, and nothing else.`,
  ];
  return {
    entryPoints: [
      { in: groups.integrator.comanda, out: 'comanda' },
      ...templatesIn(folder).map((file) => ({ in: join(folder, file), out: parse(file).name })),
    ],
    plugins: [fromTemplates(folder, { version, license })],
    outdir: 'dist/docs',
    outExtension: { '.js': '.mjs' },
    sourcemap: false,
    charset: 'utf8',
    banner: { js: head.join('\n') },
  };
}

/** Renders the templates at the start of each build, and gives each as it is rendered. */
const fromTemplates = (folder, more) => ({
  name: 'templates',
  setup({ onStart, onLoad }) {
    let rendered;
    onStart(async () => {
      rendered = renderTemplates(folder, more);
      await rendered;
    });
    onLoad({ filter: /\.(cs|java|php|py)$/ }, async ({ path }) => {
      // The start of the build reports the error, once for all files.
      const files = await rendered.catch(() => ({}));
      return { contents: files[basename(path)] ?? '', loader: 'copy' };
    });
  },
});

/** The browser's bundle is whole, small, and named after its content, so that it is asked for once. */
function forBrowsers() {
  return {
    outdir: 'dist/app/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    platform: 'browser',
    target: 'es2023',
    splitting: true,
    minify: true,
    sourcemap: false,
    jsx: 'automatic',
    external: [],
    define: { 'process.env.NODE_ENV': '"production"' },
  };
}

/** Writes the page, which names what it loads, and removes what an earlier build had made. */
function finishApp(outputFiles, { outputs }) {
  const [entry, { cssBundle }] = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint === groups.app.main,
  );
  const page = readFileSync(join(root, appPage), 'utf8')
    .replace('%main.js%', `/app/assets/${basename(entry)}`)
    .replace('%main.css%', `/app/assets/${basename(cssBundle)}`);
  const changed = writeFiles([{ path: join(root, 'dist/app/index.html'), contents: Buffer.from(page) }]);
  const kept = new Set(outputFiles.map(({ path }) => basename(path)));
  const folder = join(root, 'dist/app/assets');
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
  return changed;
}

/** Writes what differs from what was there, and gives its paths. */
function writeFiles(outputFiles) {
  for (const { path } of outputFiles) mkdirSync(dirname(path), { recursive: true });
  const changed = outputFiles.filter(
    ({ path, contents }) => !existsSync(path) || !readFileSync(path).equals(contents),
  );
  for (const { path, contents } of changed) {
    const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
  return changed.map(({ path }) => path);
}

/** The chunks of an earlier build. */
function removeChunks(prefix, outputFiles) {
  const kept = new Set(outputFiles.map(({ path }) => basename(path)));
  const chunk = new RegExp(`^${prefix}-[A-Z0-9]+\\.js(\\.map)?$`);
  for (const name of readdirSync(join(root, 'dist')))
    if (chunk.test(name) && !kept.has(name)) rmSync(join(root, 'dist', name));
}

/** The folders of our packages, from the root. @returns {string[]} */
export const workspaceFolders = () =>
  ['packages', 'extras']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));

/** Every dependency by name, those of all packages together; our own are bundled. */
function thirdParties() {
  const folders = ['.', ...workspaceFolders()];
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
