// npm run client:pack [-- --out FOLDER] [-- client cli testing]: tarballs that npm installs anywhere, into dist/packages
// unless said: the client, the command lines, and what tests of applications need; those that are named, or all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { publishCli } from './packages/cli.mjs';
import { publishClient } from './packages/client.mjs';
import { pack, root } from './packages/tarball.mjs';
import { publishTesting } from './packages/testing.mjs';

const packages = { client: publishClient, cli: publishCli, testing: publishTesting };

await runScript(() =>
  withSignals(async (signal) => {
    const { values, positionals } = parseArgs({
      options: { out: { type: 'string' } },
      allowPositionals: true,
    });
    const unknown = positionals.find((name) => !Object.hasOwn(packages, name));
    if (unknown !== undefined) throw new Error(`there is no package ${unknown}: client, cli, testing`);
    await bootstrap({ log: console.error, signal, bundles: [] });
    const out = resolve(values.out ?? join(root, 'dist/packages'));
    for (const name of positionals.length > 0 ? positionals : Object.keys(packages)) {
      const folder = mkdtempSync(join(tmpdir(), `comanda-${name}-`));
      try {
        await packages[name](folder);
        console.log(await pack(folder, out, signal));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    return 0;
  }),
);
