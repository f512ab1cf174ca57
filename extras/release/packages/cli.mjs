import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOptions, groups } from '../../../scripts/build.mjs';
import { bundleWhole, readJson, root, writeLicenses, writeManifest } from './tarball.mjs';

/**
 * Writes `@comanda/cli` as it is published: `comanda`, the operator's commands on a database, and `comanda-webhooks`, what
 * integrators download.
 * @param {string} folder
 */
export async function publishCli(folder) {
  const { version, license, engines } = readJson('package.json');
  const source = { name: '@comanda/cli', version, license, type: 'module', engines };
  writeManifest(folder, source, {
    description: 'The command lines of Comanda: comanda for its operators, comanda-webhooks for integrators',
    bin: { comanda: './comanda.js', 'comanda-webhooks': './comanda.mjs' },
  });
  const commands = await bundleWhole(folder, groups.commands, '.');
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...bundleOptions('integrator'),
    outdir: folder,
    entryPoints: groups.integrator,
    write: true,
    metafile: true,
  });
  writeLicenses(folder, [...commands, ...Object.keys(metafile.inputs)]);
  copyFileSync(join(root, 'packages/cli/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
}
