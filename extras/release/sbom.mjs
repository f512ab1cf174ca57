// npm run -s sbom [-- --package FOLDER] [-- --out FILE]: the components of the product, as CycloneDX 1.6 on standard
// output, or in a file: every production dependency of the lockfile with version, license and the hash it is installed
// by; of a package (npm run package) those alone that are in it. (npm's and pnpm's own need other layouts.)
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { bundleOptions } from '../../scripts/build.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Licenses that CycloneDX knows by this very name; others are given by name. */
const spdx = new Set(
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 CC-BY-4.0 ISC MIT MIT-0 MPL-2.0 PostgreSQL Python-2.0 Unlicense'.split(
    ' ',
  ),
);

await runScript(async () => {
  const { values } = parseArgs({ options: { package: { type: 'string' }, out: { type: 'string' } } });
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  const text = `${JSON.stringify(await describe(values.package), null, 2)}\n`;
  if (values.out === undefined) process.stdout.write(text);
  else writeFileSync(values.out, text);
  return 0;
});

async function describe(folder) {
  const { version } = readJson(join(root, 'package.json'));
  const lock = await readLockfile();
  const installed = findInstalled(join(root, 'node_modules'));
  const packages = await packagesOf(lock, folder);
  const own = `comanda@${version}`;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': own, name: 'comanda', version } },
    components: [...packages.values()].map((entry) => component(entry, installed)),
    dependencies: [
      { ref: own, dependsOn: refs(lock.direct, packages) },
      ...[...packages.values()].map((entry) => ({ ref: entry.purl, dependsOn: refs(entry.needs, packages) })),
    ],
  };
}

function component({ name, version, purl, integrity, optional }, installed) {
  const license = installed.get(`${name}@${version}`);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: optional ? 'optional' : 'required',
    hashes: [hashOf(integrity)],
    ...(license && { licenses: [licenseOf(license)] }),
    purl,
  };
}

function hashOf(integrity) {
  const [algorithm, base64] = integrity.split(/-(.*)/s);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') };
}

function licenseOf(text) {
  if (spdx.has(text)) return { license: { id: text } };
  return / (OR|AND|WITH) /.test(text) ? { expression: text } : { license: { name: text } };
}

/**
 * The contents of the package at `folder`: its node_modules, and those of the app's bundle; all of the lockfile where
 * no folder is named. Throws {Error} for a package that is there and not in the lockfile.
 */
async function packagesOf(lock, folder) {
  const all = reachable(lock);
  if (folder === undefined) return all;
  if (!existsSync(join(folder, '.comanda-package')))
    throw new Error(`--package: ${folder} is not one of our packages`);
  const there = new Set([...findInstalled(join(folder, 'node_modules')).keys(), ...(await bundledInApp())]);
  const nameOf = ({ name, version }) => `${name}@${version}`;
  const known = new Set([...all.values()].map(nameOf));
  const strange = [...there].filter((name) => !known.has(name));
  if (strange.length > 0)
    throw new Error(`the lockfile does not bring what is in the package: ${strange.join(', ')}`);
  return new Map([...all].filter(([, entry]) => there.has(nameOf(entry))));
}

/** The packages of which the app's bundle holds files, as `name@version`. */
async function bundledInApp() {
  const { build } = await import('esbuild');
  const { metafile } = await build({ ...bundleOptions('app'), write: false });
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  return [...new Set(folders)].map((each) => {
    const { name, version } = readJson(join(root, each, 'package.json'));
    return `${name}@${version}`;
  });
}

/** Everything that production needs, by its key in the lockfile; optional is what only optional packages need. */
function reachable(lock) {
  const found = new Map();
  const walk = (keys, optional) => {
    for (const [key, perhaps] of keys) {
      const entry = found.get(key);
      const isOptional = optional || perhaps;
      if (entry !== undefined && (isOptional || !entry.optional)) continue;
      found.set(key, { ...lock.entry(key), optional: isOptional });
      walk(lock.entry(key).needs, isOptional);
    }
  };
  walk(lock.direct, false);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function refs(needs, packages) {
  return [...new Set([...needs.keys()].flatMap((key) => packages.get(key)?.purl ?? []))].sort();
}

/** The parts of a lockfile that matter here. Throws {Error} for a version other than 9. */
async function readLockfile() {
  const { parse } = await import('yaml');
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));
  if (lock.lockfileVersion !== '9.0') throw new Error('pnpm-lock.yaml is not of version 9.0');
  const direct = new Map();
  // Of extras/ the package contains programs whose dependencies are in packages/, too; the root has the bundler.
  const packages = Object.entries(lock.importers).filter(([folder]) => folder.startsWith('packages/'));
  for (const [, importer] of packages)
    for (const kind of ['dependencies', 'optionalDependencies'])
      for (const [name, { version }] of Object.entries(importer[kind] ?? {}))
        if (!version.startsWith('link:')) direct.set(keyOf(name, version), kind !== 'dependencies');
  const entry = (key) => {
    const id = key.replace(/\(.*$/s, '');
    const at = id.lastIndexOf('@');
    const [name, version] = [id.slice(0, at), id.slice(at + 1)];
    const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[key];
    const needs = new Map([
      ...Object.entries(dependencies).map(([other, wanted]) => [keyOf(other, wanted), false]),
      ...Object.entries(optionalDependencies).map(([other, wanted]) => [keyOf(other, wanted), true]),
    ]);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { name, version, purl, integrity: lock.packages[id].resolution.integrity, needs };
  };
  return { direct, entry };
}

// An alias has its real name in place of the version.
function keyOf(name, version) {
  return /^@?[^@(]+@/.test(version) ? version : `${name}@${version}`;
}

/** The license of every installed package by `name@version`, at any depth. */
function findInstalled(folder, found = new Map()) {
  if (!existsSync(folder)) return found;
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith('.') || entry === '@comanda') continue;
    const names = entry.startsWith('@')
      ? readdirSync(join(folder, entry)).map((name) => `${entry}/${name}`)
      : [entry];
    for (const name of names) {
      const file = join(folder, name, 'package.json');
      if (!existsSync(file)) continue;
      const { version, license } = readJson(file);
      found.set(`${name}@${version}`, typeof license === 'string' ? license : license?.type);
      findInstalled(join(folder, name, 'node_modules'), found);
    }
  }
  return found;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
