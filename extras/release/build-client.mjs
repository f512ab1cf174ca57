// node extras/release/build-client.mjs [folder]: builds packages/client as it is published, into packages/client/dist unless said.
// `npm start` needs none of it. With --pack a tarball of it, too; npm run client:pack makes those of all packages.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { publishClient } from './packages/client.mjs';
import { pack, root } from './packages/tarball.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    const words = process.argv.slice(2);
    const usual = join(root, 'packages/client/dist');
    const folder = resolve(words.find((word) => word !== '--pack') ?? usual);
    // Nothing of an earlier version stays; what else the caller names is the caller's.
    if (folder === usual) rmSync(folder, { recursive: true, force: true });
    const files = await publishClient(folder);
    if (!words.includes('--pack')) for (const file of files) console.log(join(folder, file));
    else console.log(await pack(folder, folder, signal));
    return 0;
  }),
);
