// npm run test:browser: builds the documents' site again and compares it with what is committed, then looks at it with
// Chromium, when one is on this machine (Debian's package `chromium`, or COMANDA_CHROMIUM names one). Files that follow
// `--` run alone.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from './apart.mjs';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';
import { findChromium } from './chromium.mjs';
import { installGenerator } from './site/generator.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(() =>
  withSignals(async (signal) => {
    const chromium = findChromium();
    if (chromium === '') console.error('No Chromium is on this machine: the tests in a browser are not run.');
    await bootstrap({ log: console.error, signal, bundles: [] });
    await installGenerator(signal);
    await installApart(join(root, 'tests/bundlers/react-18'), 'React 18', signal);
    const env = { COMANDA_CHROMIUM: chromium };
    // One browser at a time: more wait for each other on a small machine.
    const files = process.argv.length > 2 ? process.argv.slice(2) : ['tests/browser'];
    return runNode(['scripts/test.mjs', ...files, '--no-file-parallelism'], { signal, env });
  }),
);
